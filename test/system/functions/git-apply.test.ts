import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Changes } from '../../../src/environments/coding/changes.ts';
import { applyDiff } from '../../../src/environments/coding/patch.ts';
import { modeOf } from '../../../src/environments/workspace/folder.ts';
import { SameUser } from '../../../src/environments/workspace/same-user.ts';
import { FolderWorkspace } from '../../../src/environments/workspace/workspace.ts';
import { unifiedDiff } from '../../../src/functions/unified-diff.ts';

const copy = (from: string, to: string): void => cpSync(from, to, { recursive: true, verbatimSymlinks: true });

const contentOf = (place: string): Buffer =>
  lstatSync(place).isSymbolicLink() ? readlinkSync(place, 'buffer') : readFileSync(place);

/** The files and links of a folder with their modes. */
function treeOf(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory());
  const places = entries
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((place) => !place.includes('/.git/'));
  return Object.fromEntries(
    places
      .toSorted()
      .map((place) => [
        place.slice(folder.length + 1),
        `${modeOf(lstatSync(place))} ${contentOf(place).toString('latin1')}`,
      ]),
  );
}

test('git and apply_patch make the same files of the diff of a run, with modes and links', async () => {
  const top = mkdtempSync(join(tmpdir(), 'diff-'));
  onTestFinished(() => rmSync(top, { recursive: true }));
  const [start, work, repository, patched] = ['start', 'work', 'repository', 'patched'].map((name) => join(top, name));
  if (!start || !work || !repository || !patched) throw new Error('no folders');
  mkdirSync(join(start, 'sub dir'), { recursive: true });
  const texts: Readonly<Record<string, string>> = {
    mode: 'x\n',
    both: 'x\ny\n',
    gone: 'x\n',
    'gone-empty': '',
    'to-link': 'x\n',
    'no-end': 'x',
    'end-lost': 'x\n',
    'end-new': 'x',
    mark: '\uFEFFx\ny\n',
    crlf: 'x\r\ny\r\n',
    'sub dir/ä b': 'x\n',
    'tab\tquote"': 'x\n',
    binary: '\0\x01',
  };
  for (const [path, text] of Object.entries(texts)) writeFileSync(join(start, path), text);
  chmodSync(join(start, 'gone'), 0o755);
  for (const path of ['link', 'link-gone', 'to-file']) symlinkSync('mode', join(start, path));
  for (const folder of [work, repository, patched]) copy(start, folder);

  const changes = new Changes(work, { read: async (path) => contentOf(join(start, path)), leftOut: [] });
  const write = (path: string, text: string): void => writeFileSync(join(work, path), text);
  for (const path of ['gone', 'gone-empty', 'link-gone', 'to-link', 'link', 'to-file']) rmSync(join(work, path));
  for (const path of ['mode', 'both', 'binary']) chmodSync(join(work, path), 0o755);
  for (const path of ['to-link', 'link', 'new-link']) symlinkSync('sub dir/ä b', join(work, path));
  write('both', 'x\nz\n');
  write('to-file', 'mode');
  write('no-end', 'y');
  write('end-lost', 'x');
  write('end-new', 'x\n');
  write('mark', '\uFEFFz\ny\n');
  write('crlf', 'x\r\nz\r\n');
  write('sub dir/ä b', 'y\n');
  write('tab\tquote"', 'y\n');
  write('new', 'n\n');
  write('new empty', '');
  write('new-executable', '#!\n');
  chmodSync(join(work, 'new-executable'), 0o755);

  const diff = (await changes.all()).map(unifiedDiff).join('');
  const expected = treeOf(work);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: repository, input: diff });
  git('init', '-q');
  git('apply', '--check', '-');
  git('apply', '-');
  expect(treeOf(repository)).toEqual(expected);
  const workspace = new FolderWorkspace(patched, new SameUser());
  onTestFinished(() => workspace.close());
  await applyDiff(workspace, diff);
  expect(treeOf(patched)).toEqual(expected);
});
