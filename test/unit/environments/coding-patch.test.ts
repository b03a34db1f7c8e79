import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { applyDiff } from '../../../src/environments/coding/patch.ts';
import type { Launcher } from '../../../src/environments/workspace/launcher.ts';
import { SameUser } from '../../../src/environments/workspace/same-user.ts';
import { FolderWorkspace } from '../../../src/environments/workspace/workspace.ts';

/** A folder with files; `→ target` makes a link, and `#!` an executable file. */
function folderWith(files: Readonly<Record<string, string | Uint8Array>>): FolderWorkspace {
  const folder = mkdtempSync(join(tmpdir(), 'patch-'));
  for (const [path, content] of Object.entries(files)) {
    const place = join(folder, path);
    mkdirSync(dirname(place), { recursive: true });
    const target = typeof content === 'string' ? /^→ (.*)$/.exec(content)?.[1] : undefined;
    if (target !== undefined) symlinkSync(target, place);
    else writeFileSync(place, content);
    if (typeof content === 'string' && content.startsWith('#!')) chmodSync(place, 0o755);
  }
  const workspace = new FolderWorkspace(folder, new SameUser());
  onTestFinished(async () => {
    await workspace.close();
    rmSync(folder, { recursive: true });
  });
  return workspace;
}

/** What is at a path: `755 text`, `→ target`, or null. */
function at({ folder }: FolderWorkspace, path: string): string | null {
  const stats = lstatSync(join(folder, path), { throwIfNoEntry: false });
  if (stats === undefined) return null;
  if (stats.isSymbolicLink()) return `→ ${readlinkSync(join(folder, path))}`;
  return `${(stats.mode & 0o777).toString(8)} ${readFileSync(join(folder, path), 'utf8')}`;
}

const git = (path: string, ...lines: string[]): string => `diff --git a/${path} b/${path}\n${lines.join('\n')}\n`;
const hunk = (path: string, ...lines: string[]): string => `--- a/${path}\n+++ b/${path}\n${lines.join('\n')}\n`;
const NO_END = '\\ No newline at end of file';
const newLink = (path: string, target: string): string =>
  git(path, 'new file mode 120000', '--- /dev/null', `+++ b/${path}`, '@@ -0,0 +1 @@', `+${target}`, NO_END);

describe('modes in a diff', () => {
  it.each([
    [
      'a new executable file',
      {},
      git('a', 'new file mode 100755', '--- /dev/null', '+++ b/a', '@@ -0,0 +1 @@', '+x'),
      '755 x\n',
      'wrote a (mode 755)',
    ],
    ['a new empty file', {}, git('a', 'new file mode 100644', 'index 0000000..e69de29'), '644 ', 'wrote a'],
    ['a mode alone', { a: 'x\n' }, git('a', 'old mode 100644', 'new mode 100755'), '755 x\n', 'mode 755 a'],
    ['a mode taken away', { a: '#!x\n' }, git('a', 'old mode 100755', 'new mode 100644'), '644 #!x\n', 'mode 644 a'],
    [
      'a mode with lines',
      { a: 'x\n' },
      git('a', 'old mode 100644', 'new mode 100755') + hunk('a', '@@ -1 +1 @@', '-x', '+y'),
      '755 y\n',
      'wrote a (mode 755)',
    ],
    ['lines of an executable file', { a: '#!x\n' }, hunk('a', '@@ -1 +1 @@', '-#!x', '+#!y'), '755 #!y\n', 'wrote a'],
    [
      'a mode of group',
      {},
      git('a', 'new file mode 100775', '--- /dev/null', '+++ b/a', '@@ -0,0 +1 @@', '+x'),
      '755 x\n',
      'wrote a (mode 755)',
    ],
  ] as const)('%s', async (_, files, diff, expected, summary) => {
    const workspace = folderWith(files);
    expect(await applyDiff(workspace, diff)).toBe(summary);
    expect(at(workspace, 'a')).toBe(expected);
  });

  it('of a renamed and of a copied file', async () => {
    const workspace = folderWith({ a: '#!x\n', c: 'c\n' });
    const rename = 'diff --git a/a b/b\nsimilarity index 100%\nrename from a\nrename to b\n';
    const copy =
      'diff --git a/c b/sub/d\nold mode 100644\nnew mode 100755\nsimilarity index 50%\ncopy from c\ncopy to sub/d\n--- a/c\n+++ b/sub/d\n@@ -1 +1 @@\n-c\n+d\n';
    expect(await applyDiff(workspace, rename + copy)).toBe('wrote b\nremoved a\nwrote sub/d (mode 755)');
    expect(['a', 'b', 'c', 'sub/d'].map((path) => at(workspace, path))).toEqual([
      null,
      '755 #!x\n',
      '644 c\n',
      '755 d\n',
    ]);
  });

  it('files that exchange their names', async () => {
    const workspace = folderWith({ a: 'a\n', b: 'b\n' });
    const rename = (from: string, to: string): string =>
      `diff --git a/${from} b/${to}\nrename from ${from}\nrename to ${to}\n`;
    await applyDiff(workspace, rename('a', 'b') + rename('b', 'a'));
    expect([at(workspace, 'a'), at(workspace, 'b')]).toEqual(['644 b\n', '644 a\n']);
  });

  it('two parts of the same file', async () => {
    const workspace = folderWith({ a: '1\n2\n' });
    await applyDiff(
      workspace,
      hunk('a', '@@ -1,2 +1,2 @@', '-1', '+one', ' 2') + hunk('a', '@@ -1,2 +1,2 @@', ' one', '-2', '+two'),
    );
    expect(at(workspace, 'a')).toBe('644 one\ntwo\n');
  });
});

describe('links in a diff', () => {
  const removed = git('a', 'deleted file mode 100644', '--- a/a', '+++ /dev/null', '@@ -1 +0,0 @@', '-x');

  it('are made, changed, and removed, and what they lead to stays', async () => {
    const workspace = folderWith({ 'sub/x': 'x\n', old: '→ sub/x', other: '→ sub' });
    const changed =
      git('old', 'index 1234567..89abcde 120000') + hunk('old', '@@ -1 +1 @@', '-sub/x', NO_END, '+sub', NO_END);
    const gone = git(
      'other',
      'deleted file mode 120000',
      '--- a/other',
      '+++ /dev/null',
      '@@ -1 +0,0 @@',
      '-sub',
      NO_END,
    );
    expect(await applyDiff(workspace, newLink('sub/deep/l', '../x') + changed + gone)).toBe(
      'linked sub/deep/l → ../x\nlinked old → sub\nremoved other',
    );
    expect(['sub/deep/l', 'old', 'other', 'sub/x'].map((path) => at(workspace, path))).toEqual([
      '→ ../x',
      '→ sub',
      null,
      '644 x\n',
    ]);
  });

  it('take the place of a file, and the reverse', async () => {
    const workspace = folderWith({ a: 'x\n' });
    await applyDiff(workspace, removed + newLink('a', 'b'));
    expect(at(workspace, 'a')).toBe('→ b');
    const gone = git('a', 'deleted file mode 120000', '--- a/a', '+++ /dev/null', '@@ -1 +0,0 @@', '-b', NO_END);
    const file = git('a', 'new file mode 100755', '--- /dev/null', '+++ b/a', '@@ -0,0 +1 @@', '+y');
    await applyDiff(workspace, gone + file);
    expect(at(workspace, 'a')).toBe('755 y\n');
  });

  it.each([
    ['/etc/passwd', 'leads out of the folder'],
    ['../x', 'leads out of the folder'],
    ['sub/../../x', 'leads out of the folder'],
    ['C:\\x', 'leads out of the folder'],
  ])('to “%s” are refused', async (target, words) => {
    const workspace = folderWith({ a: 'x\n' });
    await expect(applyDiff(workspace, removed + newLink('l', target))).rejects.toThrow(words);
    expect([at(workspace, 'a'), at(workspace, 'l')]).toEqual(['644 x\n', null]);
  });

  it('with a line break after the target are refused', async () => {
    const workspace = folderWith({});
    await expect(applyDiff(workspace, newLink('l', 'x').replace(`${NO_END}\n`, ''))).rejects.toThrow(
      /write “\\ No newline/,
    );
  });

  it('are not followed', async () => {
    const outside = folderWith({ secret: 'x\n' });
    const workspace = folderWith({
      out: `→ ${outside.folder}`,
      inside: '→ sub',
      'sub/a': 'x\n',
      file: '→ sub/a',
      away: `→ ${outside.folder}/secret`,
    });
    const change = (path: string): string => hunk(path, '@@ -1 +1 @@', '-x', '+y');
    const add = (path: string): string => `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+y\n`;
    const apply = (diff: string): Promise<string> => applyDiff(workspace, diff);
    await expect(apply(change('out/secret'))).rejects.toThrow('by a link');
    await expect(apply(add('out/new'))).rejects.toThrow('by a link');
    await expect(apply(change('inside/a'))).rejects.toThrow('“inside/a” is behind the link “inside”');
    await expect(apply(change('file'))).rejects.toThrow('it is a link to “sub/a”');
    await expect(apply(change('away'))).rejects.toThrow('it is a link to');
    await expect(apply(newLink('l', 'sub') + add('l/b'))).rejects.toThrow('the diff writes “l/b”, but also “l”');
    await expect(apply(git('file', 'old mode 120000', 'new mode 100644'))).rejects.toThrow(
      'a link that the diff turns into a file',
    );
    await expect(apply(add('../b'))).rejects.toThrow('leads out');
    expect([at(outside, 'secret'), existsSync(join(outside.folder, 'new')), at(workspace, 'sub/a')]).toEqual([
      '644 x\n',
      false,
      '644 x\n',
    ]);
  });
});

describe('a diff is refused with its reason', () => {
  const one = hunk('a', '@@ -1 +1 @@', '-x', '+y');
  it.each([
    ['a file with a byte order mark', '\uFEFFx\n', one, 'begins with a byte order mark'],
    ['a diff with a byte order mark', 'x\n', hunk('a', '@@ -1 +1 @@', '-\uFEFFx', '+y'), 'has no byte order mark'],
    ['a text in UTF-16', Buffer.from('\uFEFFx\n', 'utf16le'), one, 'UTF-16'],
    ['a binary file', 'x\0\n', one, 'it is a binary file'],
    [
      'no line break at the end',
      'x\n',
      hunk('a', '@@ -1 +1 @@', '-x', NO_END, '+y', NO_END),
      'ends with a line break, but',
    ],
    ['mixed line ends', 'w\nx\r\n', hunk('a', '@@ -1,2 +1,2 @@', ' w', '-x', '+y'), 'partly with CRLF'],
    ['other lines', 'z\n', one, 'its lines are not as the diff has them'],
    [
      'too many lines announced',
      'x\n',
      hunk('a', '@@ -1,3 +1,4 @@', '-x', '+y'),
      /line 3 of the diff .* announces 3 old and 4 new lines, but has 1 and 1/,
    ],
    [
      'too many announced before another file',
      'x\n',
      hunk('a', '@@ -1,2 +1,2 @@', '-x', '+y') + hunk('b', '@@ -1 +1 @@', '-x', '+y'),
      'announces 2 old and 2 new lines, but has 1 and 1',
    ],
    [
      'too few announced',
      'x\n',
      hunk('a', '@@ -1 +1 @@', '-x', '+y', '+z'),
      'announces 1 old and 1 new lines, but has 1 and 2',
    ],
    [
      'too few announced before an empty line',
      'x\n\nw\n',
      hunk('a', '@@ -1 +1 @@', '-x', '+y', '', ' w'),
      'announces 1 old and 1 new lines, but has 3 and 3',
    ],
    [
      'one announced that is missing',
      'x\n',
      hunk('a', '@@ -1 +1 @@', '-x'),
      'announces 1 old and 1 new lines, but has 1 and 0',
    ],
    ['no line numbers', 'x\n', hunk('a', '@@ ... @@', '-x', '+y'), 'has no line numbers'],
    [
      'a binary patch',
      'x\n',
      git(
        'a',
        'index 1234567..89abcde 100644',
        'GIT binary patch',
        'literal 3',
        'KcmZQzWMT#Y01f~L',
        '',
        'literal 2',
        'JcmZQzWMT#Y01f~L',
        '',
      ),
      'changes the binary file “a”',
    ],
    [
      'a binary difference',
      'x\n',
      git('a', 'index 1234567..89abcde 100644', 'Binary files a/a and b/a differ'),
      'changes the binary file “a”',
    ],
    ['a binary difference without git', 'x\n', 'Binary files a/a and b/a differ\n', 'changes the binary file “a”'],
    [
      'a new submodule',
      'x\n',
      git(
        's',
        'new file mode 160000',
        '--- /dev/null',
        '+++ b/s',
        '@@ -0,0 +1 @@',
        `+Subproject commit ${'0'.repeat(40)}`,
      ),
      '“s” is a submodule',
    ],
    [
      'a changed submodule',
      'x\n',
      git('s', 'index 1234567..89abcde 160000') +
        hunk('s', '@@ -1 +1 @@', `-Subproject commit ${'0'.repeat(40)}`, `+Subproject commit ${'1'.repeat(40)}`),
      '“s” is a submodule',
    ],
    ['an unknown mode', 'x\n', git('b', 'new file mode 040000'), 'gets the mode 040000'],
    ['a removal of a part', 'x\nz\n', '--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n', 'not all of its lines'],
    ['a new name that exists', 'x\n', 'diff --git a/a b/b\nrename from a\nrename to b\n', '“b” exists already'],
    [
      'a mode of a missing file',
      'x\n',
      git('c', 'old mode 100644', 'new mode 100755'),
      'the file “c”, which the diff changes, does not exist',
    ],
  ] as const)('%s', async (_, content, diff, words) => {
    const workspace = folderWith({ a: content, b: 'x\n' });
    await expect(applyDiff(workspace, diff)).rejects.toThrow(words);
    expect(readFileSync(join(workspace.folder, 'a'))).toEqual(Buffer.from(content));
  });
});

describe('a diff applies', () => {
  const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
  it.each([
    [
      'to a file with a byte order mark, which stays',
      '\uFEFFx\nz\n',
      hunk('a', '@@ -1,2 +1,2 @@', '-\uFEFFx', '+\uFEFFy', ' z'),
      '\uFEFFy\nz\n',
    ],
    [
      'to later lines of a file with a byte order mark',
      '\uFEFFw\nx\n',
      hunk('a', '@@ -2 +2 @@', '-x', '+y'),
      '\uFEFFw\ny\n',
    ],
    ['to lines with CRLF', 'w\r\nx\r\n', hunk('a', '@@ -1,2 +1,2 @@', ' w', '-x', '+y'), 'w\r\ny\r\n'],
    ['with its own line ends if they fit', 'w\r\nx\r\n', hunk('a', '@@ -1,0 +2 @@', '+y'), 'w\r\ny\nx\r\n'],
    ['to a last line without a line break', 'x', hunk('a', '@@ -1 +1 @@', '-x', NO_END, '+y', NO_END), 'y'],
    ['to a text in another encoding', bytes('\xE9\nx\n'), hunk('a', '@@ -2 +2 @@', '-x', '+y'), bytes('\xE9\ny\n')],
    ['with an empty line in place of a space', '\nx\n\n', hunk('a', '@@ -1,3 +1,3 @@', '', '-x', '+y', ''), '\ny\n\n'],
    [
      'with lines that look like names of files',
      '-- x\nz\n',
      hunk('a', '@@ -1,2 +1,2 @@', '--- x', '+++ y', ' z'),
      '++ y\nz\n',
    ],
    [
      'with a byte order mark and a signature of git',
      'x\n',
      `\uFEFF${git('a')}${hunk('a', '@@ -1 +1 @@', '-x', '+y')}-- \n2.39.5\n\n`,
      'y\n',
    ],
    ['with CRLF in all lines', 'x\n', hunk('a', '@@ -1 +1 @@', '-x', '+y').replaceAll('\n', '\r\n'), 'y\n'],
  ] as const)('%s', async (_, content, diff, expected) => {
    const workspace = folderWith({ a: content });
    await applyDiff(workspace, diff);
    expect(readFileSync(join(workspace.folder, 'a'))).toEqual(Buffer.from(expected));
  });
});

it('makes links and folders as the user of an agent who has one', async () => {
  const { folder } = folderWith({ a: 'x\n' });
  const launcher = new SameUser();
  const programs: string[] = [];
  const agentUser: Launcher = {
    isolated: true,
    start: (program, args, options) => {
      programs.push(program);
      return launcher.start(program, args, options);
    },
    close: () => launcher.close(),
  };
  const workspace = new FolderWorkspace(folder, agentUser);
  await applyDiff(workspace, newLink('sub/l', '../a') + git('a', 'old mode 100644', 'new mode 100755'));
  await workspace.close();
  expect(programs).toEqual(['mkdir', 'ln']);
  expect([at(workspace, 'sub/l'), at(workspace, 'a')]).toEqual(['→ ../a', '755 x\n']);
});
