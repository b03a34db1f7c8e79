import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type StartedBrowser, startBrowser } from '../../../src/server/browser.ts';
import { needsPosix } from '../../systems.ts';

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
  it('disables all features that Playwright disables, because its list replaces Playwright’s', async () => {
    const [playwrights, ours, ...more] = await listsOff();
    expect(more).toEqual([]);
    expect(playwrights?.filter((feature) => !ours?.includes(feature))).toEqual([]);
    expect(playwrights?.length).toBeGreaterThan(0);
  });
});

describe.skipIf(needsPosix('a browser that fails to start'))('a browser that fails to start', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'taskwright-browser-'));
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  });
  afterEach(() => vi.unstubAllEnvs());
  afterAll(async () => {
    vi.restoreAllMocks();
    await rm(folder, { recursive: true });
  });

  it.each([
    ['exits', '#!/bin/sh\nexit 3\n', 'exited with code 3 while it started'],
    ['is killed', '#!/bin/sh\nkill $$\n', 'was ended by SIGTERM while it started'],
    [
      'writes five megabytes',
      "#!/bin/sh\nhead -c 5000000 /dev/zero | tr '\\0' x >&2\nexit 1\n",
      'exited with code 1 while it started',
    ],
    ['never answers', '#!/bin/sh\nsleep 600 & wait\n', 'did not start within 2 s'],
    [
      'closes its pipe and stays',
      '#!/bin/sh\nexec 3<&- 4>&-\nsleep 600 & wait\n',
      'closed its connection while it started',
    ],
  ])('that %s is named in one sentence', async (name, program, reason) => {
    const path = join(folder, name.replaceAll(' ', '-'));
    await writeFile(path, program);
    await chmod(path, 0o755);
    vi.stubEnv('TASKWRIGHT_BROWSER', path);
    await expect(startBrowser(true, 2_000)).rejects.toMatchObject({
      code: 'browser_failed',
      message: `The browser ${path} ${reason}. Run “taskwright doctor”, or set TASKWRIGHT_BROWSER to another browser. Its output is in the log.`,
    });
  });
});
