import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeMissingPages, locateMiniwob } from '../../../src/environments/browser/miniwob/locate.ts';
import { pageSeed } from '../../../src/environments/browser/miniwob/seed.ts';
import { inBrowserGym, miniwobTasks } from '../../../src/environments/browser/miniwob/tasks.ts';

describe('a seed', () => {
  // numpy.random.RandomState(seed).randint(0, 1000000)
  it.each([
    [0, 985772],
    [1, 128037],
    [2, 875688],
    [3, 71530],
    [4, 991406],
    [5, 297827],
    [6, 162698],
    [7, 585903],
    [8, 594371],
    [9, 516478],
    [42, 121958],
  ])('of %i gives a page the seed that numpy gives it', (seed, page) => {
    expect(pageSeed(seed)).toBe(page);
  });
});

describe('the tasks of MiniWoB++', () => {
  it('are 130, and BrowserGym has 125 of them', () => {
    expect(new Set(miniwobTasks).size).toBe(130);
    expect(miniwobTasks.filter(inBrowserGym)).toHaveLength(125);
  });
});

describe('the pages of MiniWoB++', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'taskwright-miniwob-'));
    for (const [name, file] of [
      ['miniwob', 'click-test.html'],
      ['core', 'core.js'],
    ] as const) {
      await mkdir(join(folder, 'html', name), { recursive: true });
      await writeFile(join(folder, 'html', name, file), '');
    }
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('are in TASKWRIGHT_MINIWOB, which is the folder of the pages or the package', async () => {
    for (const setting of [folder, join(folder, 'html')]) {
      const location = await locateMiniwob({ TASKWRIGHT_MINIWOB: setting });
      expect(location).toEqual({ found: { folder: join(folder, 'html'), by: 'TASKWRIGHT_MINIWOB' } });
    }
  });

  it('are not searched elsewhere if it names a folder without them', async () => {
    const location = await locateMiniwob({ TASKWRIGHT_MINIWOB: tmpdir(), PATH: '' });
    expect(location).toEqual({ tried: [expect.stringContaining('does not contain miniwob/ and core/')] });
  });

  it('are located with Python, and their installation is explained if that fails', async () => {
    const location = await locateMiniwob({ PATH: join(folder, 'core') });
    if (!('tried' in location)) throw new Error('found');
    expect(location.tried).toEqual(['TASKWRIGHT_MINIWOB (not set)', expect.stringContaining('python3')]);
    expect(describeMissingPages(location.tried)).toMatch(/pip install --no-deps miniwob/);
  });
});
