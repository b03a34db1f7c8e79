import { describe, expect, it } from 'vitest';
import { unifiedDiff } from '../../../src/functions/unified-diff.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);

describe('a change as a unified diff', () => {
  it('has the lines of both texts', () => {
    const changed = { path: 'a.txt', kind: 'changed', before: bytes('one\n'), after: bytes('two\n') } as const;
    expect(unifiedDiff(changed)).toBe('--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-one\n+two\n');
    expect(unifiedDiff({ ...changed, kind: 'added', before: null })).toContain('--- /dev/null\n+++ b/a.txt\n');
    expect(unifiedDiff({ ...changed, kind: 'removed', after: null })).toContain('--- a/a.txt\n+++ /dev/null\n');
  });

  // Otherwise the file would count as removed or as added whole, which a pattern may look for.
  it('has no lines if one of the texts is unknown', () => {
    const changed = { path: 'a.txt', kind: 'changed', before: bytes('one\n'), after: bytes('two\n') } as const;
    const named = 'Binary files a/a.txt and b/a.txt differ\n';
    expect(unifiedDiff({ ...changed, before: null })).toBe(named);
    expect(unifiedDiff({ ...changed, after: null })).toBe(named);
    expect(unifiedDiff({ ...changed, kind: 'added', before: null, after: null })).toBe(
      'Binary files /dev/null and b/a.txt differ\n',
    );
  });

  it('has the modes that git prints', () => {
    const [file, executable, link] = ['100644', '100755', '120000'] as const;
    const x = bytes('x\n');
    const binary = Buffer.from([0, 1]);
    expect(unifiedDiff({ path: 'a', kind: 'added', before: null, after: x, afterMode: executable })).toBe(
      'diff --git a/a b/a\nnew file mode 100755\n--- /dev/null\n+++ b/a\n@@ -0,0 +1,1 @@\n+x\n',
    );
    expect(unifiedDiff({ path: 'a', kind: 'added', before: null, after: bytes(''), afterMode: file })).toBe(
      'diff --git a/a b/a\nnew file mode 100644\n',
    );
    const mode = { path: 'a', kind: 'changed', beforeMode: file, afterMode: executable } as const;
    const modeLines = 'diff --git a/a b/a\nold mode 100644\nnew mode 100755\n';
    expect(unifiedDiff({ ...mode, before: x, after: x })).toBe(modeLines);
    expect(unifiedDiff({ ...mode, before: binary, after: binary })).toBe(modeLines);
    expect(unifiedDiff({ ...mode, before: null, after: null })).toBe(`${modeLines}Binary files a/a and b/a differ\n`);
    expect(unifiedDiff({ ...mode, before: bytes('b\n'), after: bytes('b'), beforeMode: file, afterMode: link })).toBe(
      'diff --git a/a b/a\ndeleted file mode 100644\n--- a/a\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-b\n' +
        'diff --git a/a b/a\nnew file mode 120000\n--- /dev/null\n+++ b/a\n@@ -0,0 +1,1 @@\n+b\n\\ No newline at end of file\n',
    );
  });

  it('keeps a byte order mark', () => {
    const change = { path: 'a', kind: 'changed', before: bytes('\uFEFFx\n'), after: bytes('\uFEFFy\n') } as const;
    expect(unifiedDiff(change)).toContain('-\uFEFFx\n+\uFEFFy\n');
  });
});
