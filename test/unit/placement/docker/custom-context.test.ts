import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { contextOf } from '../../../../src/placement/docker/custom/open.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'context-'));
  onTestFinished(() => rm(folder, { recursive: true }));
});

describe('the folder of a custom environment', () => {
  it.each([
    ['nowhere', /does not exist/],
    ['file', /is not a folder/],
    ['file/below', /does not exist/],
    ['x'.repeat(300), /cannot be read: the name is too long/],
  ])('%s cannot be used, with why', async (name, words) => {
    await writeFile(join(folder, 'file'), '');
    await expect(contextOf(name, folder, true)).rejects.toMatchObject({
      code: 'context_unreadable',
      message: expect.stringMatching(words),
    });
    // Where it need not be a folder the name is an image's.
    expect(await contextOf(name, folder, false)).toBeNull();
  });

  it('is found by a path and by a name', async () => {
    for (const isPath of [true, false]) expect(await contextOf('.', folder, isPath)).toBe(folder);
  });
});
