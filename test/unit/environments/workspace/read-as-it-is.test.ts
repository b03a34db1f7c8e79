import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readAsItIs } from '../../../../src/environments/workspace/folder.ts';
import { needsLinux, needsPosix } from '../../../systems.ts';

function folders(): { readonly folder: string; readonly outside: string } {
  const top = mkdtempSync(join(tmpdir(), 'taskwright-as-it-is-'));
  onTestFinished(() => rmSync(top, { recursive: true }));
  const [folder, outside] = [join(top, 'work'), join(top, 'outside')];
  for (const path of [folder, outside]) mkdirSync(path);
  writeFileSync(join(outside, 'answer.txt'), 'secret');
  return { folder, outside };
}

/** What a program of the agent may have put in place of a file since it was listed. */
describe.skipIf(needsPosix('a file that may change at any moment'))('a file that may change at any moment', () => {
  it('is read', () => {
    const { folder } = folders();
    mkdirSync(join(folder, 'deep'));
    writeFileSync(join(folder, 'deep/a.txt'), 'mine');
    linkSync(join(folder, 'deep/a.txt'), join(folder, 'b.txt'));
    expect(readAsItIs(folder, 'deep/a.txt', 10)?.toString()).toBe('mine');
    expect(readAsItIs(folder, 'b.txt', 10)?.toString()).toBe('mine');
  });

  it.each<readonly [string, string, (folder: string, outside: string) => void]>([
    ['is gone', 'a.txt', () => {}],
    ['is a link', 'a.txt', (folder, outside) => symlinkSync(join(outside, 'answer.txt'), join(folder, 'a.txt'))],
    ['is a link to a device', 'a.txt', (folder) => symlinkSync('/dev/zero', join(folder, 'a.txt'))],
    ['is a folder', 'a.txt', (folder) => mkdirSync(join(folder, 'a.txt'))],
    ['is a pipe', 'a.txt', (folder) => execFileSync('mkfifo', [join(folder, 'a.txt')])],
    [
      'has grown',
      'a.txt',
      (folder) => {
        writeFileSync(join(folder, 'a.txt'), '');
        truncateSync(join(folder, 'a.txt'), 11);
      },
    ],
  ])('is not read if it %s', (_, path, replace) => {
    const { folder, outside } = folders();
    replace(folder, outside);
    expect(readAsItIs(folder, path, 10)).toBeNull();
  });

  it.skipIf(needsLinux('a file whose folder is a link'))('is not read if its folder is a link', () => {
    const { folder, outside } = folders();
    symlinkSync(outside, join(folder, 'deep'));
    expect(readAsItIs(folder, 'deep/answer.txt', 10)).toBeNull();
  });
});
