import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
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

/** Answers over its pipe as Chromium does, until it is asked which process it is: then it stops and never ends by itself. */
const FREEZES = `#!${process.execPath}
const { createReadStream, writeSync } = require('node:fs');
const version = { protocolVersion: '1.3', product: 'HeadlessChrome/1.0', revision: '', userAgent: '', jsVersion: '' };
let received = '';
createReadStream(null, { fd: 3 }).on('data', (chunk) => {
  received += chunk;
  for (let end = received.indexOf('\\0'); end >= 0; end = received.indexOf('\\0')) {
    const { id, method, sessionId } = JSON.parse(received.slice(0, end));
    received = received.slice(end + 1);
    if (method === 'SystemInfo.getProcessInfo' || method === 'Target.attachToBrowserTarget') process.kill(process.pid, 'SIGSTOP');
    const result = method === 'Browser.getVersion' ? version : {};
    writeSync(4, JSON.stringify({ id, result, sessionId }) + '\\0');
  }
});
`;

describe.skipIf(process.platform === 'win32')('a browser that fails to start', () => {
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
    ['freezes half-way', FREEZES, 'did not start within 2 s'],
  ])('that %s is named in one sentence, and leaves no process', async (name, program, reason) => {
    const path = join(folder, name.replaceAll(' ', '-'));
    await writeFile(path, program);
    await chmod(path, 0o755);
    const mark = randomUUID();
    vi.stubEnv('TASKWRIGHT_BROWSER', path);
    vi.stubEnv('TASKWRIGHT_TEST_MARK', mark);
    await expect(startBrowser(true, 2_000)).rejects.toMatchObject({
      code: 'browser_failed',
      message: `The browser ${path} ${reason}. Run “taskwright doctor”, or set TASKWRIGHT_BROWSER to another browser. Its output is in the log.`,
    });
    await expect.poll(() => groupsOfProcessesWith(`TASKWRIGHT_TEST_MARK=${mark}`)).toEqual([]);
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
