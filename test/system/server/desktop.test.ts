import { readdir, readFile, readlink } from 'node:fs/promises';
import { describe, expect, test, vi } from 'vitest';
import { inCi } from '../../../scripts/in-ci.ts';
import { EMPTY_RANGE } from '../../../src/base/range.ts';
import { missingPrograms, withoutPrograms } from '../../../src/environments/desktop/programs.ts';
import { folderOf, type Marked, misbehaving, nothingLeft, place, processOf, task } from './harness.ts';

const missing = await missingPrograms();
if (missing.length > 0) {
  if (inCi) throw new Error(withoutPrograms(missing));
  console.warn(`The ends of desktops are not tested: ${missing.join(', ')} missing`);
}

/** Processes that have this text in their environment, by name. */
async function processesWith(text: string): Promise<Map<number, string>> {
  const found = new Map<number, string>();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const read = (file: string) => readFile(`/proc/${name}/${file}`, 'utf8').catch(() => '');
    const [environ, command] = await Promise.all([read('environ'), read('comm')]);
    if (environ.includes(text) && command !== '') found.set(Number(name), command.trim());
  }
  return found;
}

interface Opened extends Marked {
  readonly session: string;
  /** Where everything of the server is. */
  readonly folder: string;
  step(...actions: string[]): Promise<unknown>;
  kill(program: string): Promise<void>;
  processes(): Promise<Map<number, string>>;
  displays(): Promise<string[]>;
}

async function openDesktop(): Promise<Opened> {
  const marked = place({ browserAhead: false });
  const server = await marked.placement.server();
  const { session } = await server.request('session.open', {});
  await server.request('session.reset', {
    session,
    task: task('', { env: { type: 'hud-ubuntu' }, initial_state: {} }),
    files: { folder: misbehaving },
    seed: 0,
  });
  await server.request('session.setup', {
    session,
    call: { function: 'launch', args: ['xterm -e sh -c "setsid nohup sleep 12345 & sleep 12345"'], range: EMPTY_RANGE },
    limit_ms: 20_000,
  });
  const folder = await folderOf(marked.mark);
  const processes = () => processesWith(folder);
  return {
    ...marked,
    session,
    folder,
    step: (...actions) => server.request('session.step', { session, actions }),
    processes,
    displays: async () => displaysOf(await processes()),
    kill: async (program) => {
      const pids = [...(await processes())].filter(([, name]) => name === program).map(([pid]) => pid);
      expect(pids.length).toBeGreaterThan(0);
      for (const pid of pids) process.kill(pid, 'SIGKILL');
    },
  };
}

/** Names of the sockets of the X servers that these processes use: `X1`. */
async function displaysOf(processes: ReadonlyMap<number, string>): Promise<string[]> {
  const environments = [...processes.keys()].map((pid) => readFile(`/proc/${pid}/environ`, 'utf8').catch(() => ''));
  const displays = (await Promise.all(environments)).flatMap((text) => /(?:^|\0)DISPLAY=:(\d+)/.exec(text)?.[1] ?? []);
  return [...new Set(displays)].map((number) => `X${number}`);
}

/** Waits until no program of the desktop runs. */
async function ended({ processes }: Opened): Promise<void> {
  const programs = ['Xtigervnc', 'jwm', 'xterm', 'sleep'];
  await vi.waitFor(
    async () => expect([...(await processes()).values()].filter((name) => programs.includes(name))).toEqual([]),
    { timeout: 60_000, interval: 50 },
  );
}

describe.skipIf(missing.length > 0)('of a desktop', () => {
  test('whose session is closed nothing is left, not even detached processes', async () => {
    const desktop = await openDesktop();
    await expect
      .poll(async () => [...(await desktop.processes()).values()], { timeout: 60_000 })
      .toEqual(expect.arrayContaining(['Xtigervnc', 'jwm', 'xterm', 'sleep']));
    const [display = '', ...others] = await desktop.displays();
    expect([display, others]).toEqual([expect.stringMatching(/^X\d+$/), []]);

    await (await desktop.placement.server()).request('session.close', { session: desktop.session });

    await ended(desktop);
    expect(await readdir('/tmp/.X11-unix')).not.toContain(display);
  });

  test('whose X server is killed the next step reports it, and nothing is left', async () => {
    const desktop = await openDesktop();

    await desktop.kill('Xtigervnc');

    await expect(desktop.step('mouse_click(5, 5)')).rejects.toMatchObject({
      code: 'desktop_crashed',
      message: expect.stringContaining('The X server of the desktop has ended'),
    });
    await ended(desktop);
  });

  test('whose window manager is killed, which an agent can do, gets a new one', async () => {
    const desktop = await openDesktop();
    const managers = async () => [...(await desktop.processes())].filter(([, name]) => name === 'jwm');
    const [before] = await managers();
    // The pointer is over the background, where its image is the window manager's.
    await desktop.step('mouse_move(1270, 10)');

    await desktop.kill('jwm');

    await vi.waitFor(
      async () => expect(await managers()).toEqual([[expect.toSatisfy((pid: number) => pid !== before?.[0]), 'jwm']]),
      { timeout: 60_000 },
    );
    const told = async () => JSON.stringify(await desktop.step('noop(100)'));
    await vi.waitFor(async () => expect(await told()).toContain('The window manager ended and was restarted.'), {
      timeout: 60_000,
    });
    // It manages the window that was open before.
    await vi.waitFor(async () => expect(await told()).toMatch(/xterm/i), { timeout: 60_000 });

    await (await desktop.placement.server()).request('session.close', { session: desktop.session });
    await ended(desktop);
  });

  test('whose session process is killed nothing is left', async () => {
    const desktop = await openDesktop();
    process.kill((await processOf(desktop.mark, 'session')).pid, 'SIGKILL');

    await ended(desktop);
  });

  test('whose server is killed nothing is left', async () => {
    const desktop = await openDesktop();
    process.kill((await processOf(desktop.mark, 'server')).pid, 'SIGKILL');

    await ended(desktop);
    await nothingLeft(desktop.mark);
  });

  test('no port is open', async () => {
    const desktop = await openDesktop();
    const [pid] = [...(await desktop.processes())].find(([, name]) => name === 'Xtigervnc') ?? [];
    const sockets = await readFile(`/proc/${pid}/net/tcp`, 'utf8');
    const inodes = await Promise.all(
      (await readdir(`/proc/${pid}/fd`)).map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')),
    );
    const own = new Set(inodes.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []));
    const open = sockets.split('\n').filter((line) => own.has(line.trim().split(/\s+/)[9] ?? ''));
    expect(open).toEqual([]);
  });
});
