import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { removeTree } from '../../../src/base/remove-tree.ts';
import { needsPosix } from '../../systems.ts';

describe.skipIf(needsPosix('removing a folder'))('removing a folder', () => {
  it.each([
    [
      'folders deeper than a path can be long',
      `process.chdir(process.argv[1]); for (let depth = 0; depth < 1000; depth++) { fs.mkdirSync('deep-folder'); process.chdir('deep-folder'); }`,
    ],
    [
      'folders without permissions',
      `fs.mkdirSync(process.argv[1] + '/a/b/c', { recursive: true }); fs.chmodSync(process.argv[1] + '/a/b', 0); fs.chmodSync(process.argv[1] + '/a', 0);`,
    ],
  ])('removes %s', async (_what, script) => {
    const folder = mkdtempSync(join(tmpdir(), 'removed-'));
    execFileSync(process.execPath, ['-e', script, folder]);

    await removeTree(folder);

    expect(existsSync(folder)).toBe(false);
    await removeTree(folder);
  });
});
