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
});
