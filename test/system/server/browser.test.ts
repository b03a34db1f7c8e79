import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StartedBrowser, startBrowser } from '../../../src/server/browser.ts';

let started: StartedBrowser;

beforeAll(async () => {
  started = await startBrowser(true);
});
afterAll(() => started.browser.close());

/** Each list of features that the browser was told to turn off, in the order in which it was given them. */
async function listsOff(): Promise<string[][]> {
  const words = (await readFile(`/proc/${started.pid}/cmdline`, 'utf8')).split('\0');
  const name = '--disable-features=';
  return words.filter((word) => word.startsWith(name)).map((word) => word.slice(name.length).split(','));
}

describe('the browser of a session', () => {
  it('turns off all that Playwright turns off, whose list it does not see', async () => {
    const [playwrights, ours, ...more] = await listsOff();
    expect(more).toEqual([]);
    expect(playwrights?.filter((feature) => !ours?.includes(feature))).toEqual([]);
    expect(playwrights?.length).toBeGreaterThan(0);
  });

  it.skipIf(process.platform !== 'linux')('keeps its processes in one group, so that none outlives it', async () => {
    const [name, value] = ['TASKWRIGHT_TEST_MARK', randomUUID()];
    process.env[name] = value;
    const own = await startBrowser(true);
    delete process.env[name];
    try {
      const groups = await groupsOfProcessesWith(`${name}=${value}`);
      expect(groups.length).toBeGreaterThan(1);
      expect(new Set(groups)).toEqual(new Set([own.pid]));
    } finally {
      await own.browser.close();
    }
  });
});

/** The process groups of the processes whose environment holds a text. */
async function groupsOfProcessesWith(text: string): Promise<number[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const found = await Promise.all(
    ids.map(async (id) => {
      // A process may end while it is read, and those of others cannot be read.
      const environment = await readFile(`/proc/${id}/environ`, 'utf8').catch(() => '');
      if (!environment.includes(text)) return [];
      const stat = await readFile(`/proc/${id}/stat`, 'utf8').catch(() => '');
      // The name in brackets may hold spaces and brackets itself.
      const group = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2];
      return group === undefined ? [] : [Number(group)];
    }),
  );
  return found.flat();
}
