import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { searchElsewhere } from '../../../src/environments/files-elsewhere.ts';
import type { UserFunctions } from '../../../src/environments/user-functions.ts';
import { searchBeside } from '../../../src/environments/withheld-search.ts';
import { lookBeside } from '../../../src/functions/user/beside.ts';
import { diagnose } from '../../../src/language/findings/diagnose.ts';
import { readTasks } from '../../../src/tasks/read.ts';

let folder: string;
let own: UserFunctions;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'taskwright-elsewhere-'));
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 5\n`;
  const sections = ['path = "vendor/a b" # by hand', 'path=full', 'path = ../out'];
  const files = {
    'parts/.gitmodules': sections.map((line, index) => `[submodule "${index}"]\n\t${line}\n\turl = ../x\n`).join(''),
    'parts/full/.gitmodules': '[submodule "deep"]\n\tpath = deep\n\turl = ../deep\n',
    'parts/full/text.md':
      'version https://git-lfs.github.com/spec/v1 is the first line of a pointer, which has two more lines',
    'parts/full/large.bin': pointer,
    'large/.gitattributes':
      '# *.txt filter=lfs\n*.psd filter=lfs diff=lfs -text\n/data/** filter=lfs\n*.md text filter=lfsx\n',
    'large/a.psd': 'the file',
    'large/sub/b.psd': 'the file',
    'large/data/x/c.txt': 'the file',
    'large/d.txt': '',
    'large/e.md': '',
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const { of: leftOutOf, elsewhereOf } = searchBeside(folder);
  own = Object.assign(new Map(), { beside: lookBeside(folder).at, leftOutOf, elsewhereOf });
});
afterAll(() => rmSync(folder, { recursive: true }));

const row = (gym: object) =>
  JSON.stringify({ id: 'a', prompt: 'Do it', gym: { type: 'coding', ...gym }, evaluate: ['command_succeeds', 'true'] });

function findings(gym: object): string[] {
  const text = row(gym);
  return diagnose(readTasks('/tasks/a.task.json', text), own).map(
    ({ severity, code, message, range: { start, end } }) =>
      `${severity} ${code} ${text.slice(start.character, end.character)}: ${message}`,
  );
}

const submodules = (path: string, list: string, what: string) =>
  `warning files-elsewhere ${path}: the agent gets no files of submodules, whose folders are empty: ${list}. To have them, ${what}`;
const pointers = (path: string, list: string, what: string) =>
  `warning files-elsewhere ${path}: the agent gets pointers in place of the files that Git LFS stores: ${list}. To have the files, ${what}`;
const clone = 'name a clone as "folder" in which `git lfs pull` has run';

it('finds what a folder lacks', () => {
  expect(findings({ folder: 'parts' })).toEqual([
    submodules('parts', '“vendor/a b” and “full/deep”', 'run `git submodule update --init --recursive` in “parts”'),
    pointers('parts', '“full/large.bin”', 'run `git lfs pull` in “parts”'),
  ]);
  // Its files are there.
  expect(findings({ folder: 'large' })).toEqual([]);
});

it('finds what a commit of a repository lacks', () => {
  expect(findings({ git: 'parts' })).toEqual([
    submodules('parts', '“vendor/a b” and “full”', 'add "submodules": true to "gym"'),
    pointers('parts', '“full/large.bin”', clone),
  ]);
  expect(findings({ git: 'parts', submodules: true })).toEqual([pointers('parts', '“full/large.bin”', clone)]);
  expect(findings({ git: 'large' })).toEqual([pointers('large', '“a.psd”, “data/x/c.txt” and “sub/b.psd”', clone)]);
  expect(findings({ git: 'https://example.com/parts' })).toEqual([]);
});

it('offers to fetch submodules', () => {
  const fixes = diagnose(readTasks('/tasks/a.task.json', row({ git: 'parts' })), own).map((one) => one.fixes?.());
  expect(fixes.map((some = []) => some.map(({ title }) => title))).toEqual([['Add "submodules": true'], []]);
});

it('says that only repositories have submodules to fetch', () => {
  expect(findings({ folder: 'large', submodules: true })).toEqual([
    expect.stringContaining('"submodules" fetches those of the repository in "git", and there is none'),
  ]);
});

it('stops at a number of entries', () => {
  expect(searchElsewhere(join(folder, 'parts'), 1).pointers).toEqual([]);
});

it('reads patterns with many wildcards in no time', () => {
  const slow = join(folder, 'slow');
  mkdirSync(slow);
  writeFileSync(
    join(slow, '.gitattributes'),
    `${'a*'.repeat(60)}b filter=lfs\nb*** filter=lfs\n[a+{(^$.|) filter=lfs\n`,
  );
  writeFileSync(join(slow, 'a'.repeat(250)), '');
  expect(searchElsewhere(slow, 10).lfsFiles).toEqual([]);
});
