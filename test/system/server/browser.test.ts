import { readFile } from 'node:fs/promises';
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
});
