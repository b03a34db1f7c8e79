import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { inCi } from '../../../scripts/in-ci.ts';
import { locateBrowser } from '../../../src/environments/browser/launch/locate.ts';
import { missingPrograms } from '../../../src/environments/desktop/programs.ts';
import type { Picture } from '../../../src/environments/environment.ts';
import { HudEnvironment } from '../../../src/environments/hud/environment.ts';
import { Shell, type TerminalProgram, terminalShell } from '../../../src/environments/hud/shell.ts';
import { startEnvServer } from '../../../src/placement/hud/env-server.ts';
import type { StartedServer } from '../../../src/placement/shared-servers.ts';
import { findProgram } from '../../../src/processes/programs.ts';
import { call, task } from '../../unit/runs/tasks.ts';
import { root } from '../programs.ts';
import { hudEnvironment } from '../python.ts';

const LIMIT = 120_000;
const venv = await hudEnvironment();
const { signal } = new AbortController();
const ssh = await findProgram('ssh');
if (ssh === null) console.warn('Shells of HUD environments are not tested: ssh is missing');

/** Serves an environment of test/fixtures/hud until `stop`. */
async function serve(name: string, more: Readonly<Record<string, string>> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'taskwright-hud-'));
  await cp(join(root, 'test', 'fixtures', 'hud', name), folder, { recursive: true });
  await symlink(venv ?? '', join(folder, '.venv'));
  for (const [file, text] of Object.entries(more)) await writeFile(join(folder, file), text);
  const server = await startEnvServer({ hud: join(folder, 'env.py'), name, startMs: LIMIT, log: () => {} });
  const stop = async (): Promise<void> => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { folder, server, stop };
}

async function begin({ address }: StartedServer, template: string) {
  const environment = new HudEnvironment(() => {});
  const hudTask = task({ env: { type: 'hud', name: 'x', template } });
  const start = await environment.reset({ task: hudTask, files: { folder: tmpdir() }, seed: 0, address });
  return { environment, start };
}

type Served = Awaited<ReturnType<typeof serve>>;

describe.skipIf(venv === null)('a HUD environment with a browser and a shell', { timeout: LIMIT }, () => {
  let served: Served;
  beforeAll(async () => {
    const location = await locateBrowser({ version: false });
    if (!('found' in location)) throw new Error('there is no browser');
    served = await serve('pages', { 'browser.txt': location.found.path });
  }, LIMIT);
  afterAll(() => served.stop());

  it('shows its page, which is acted on, graded as it is then, and goes on after the run', async () => {
    const { environment, start } = await begin(served.server, 'order');
    expect(start.goal).toBe('Order tea, and answer with the number of the order.');
    expect(start.warning).toContain('Agents cannot use what the environment also offers: “robot” (openpi/0).');
    expect(start.observation.text).toMatch(/textbox 'What'/);
    const { screenshot } = start.observation;
    expect(start.info.viewport).toEqual({ width: screenshot?.width, height: screenshot?.height });
    const frames: Picture[] = [];
    const stop = await environment.live((frame) => frames.push(frame));

    const typed = await environment.step([{ type: 'click', point: { x: 40, y: 100 } }, 'keyboard_type("tea")']);
    expect(typed).toMatchObject({ error: null, info: { acted: [{ element: expect.stringContaining('What') }, {}] } });
    expect(await environment.pointed({ x: 40, y: 100 })).toMatchObject({ selector: '#what', label: 'What' });
    const ordered = await environment.step(["click('#order')"]);
    expect(ordered.observation.text).toContain('Order 7');
    expect(ordered.observation.screenshot?.data).not.toEqual(screenshot?.data);
    await expect.poll(() => frames.length, { timeout: 60_000 }).toBeGreaterThan(0);
    await stop();
    expect((await environment.step(["goto('file:///etc/hosts')"])).error).toMatchObject({ code: 'navigation_refused' });
    expect(await environment.step(['response("7")'])).toMatchObject({ terminated: true, info: { response: '7' } });
    expect(await environment.call(call('grade'), 'evaluate', { signal })).toMatchObject({ value: 1 });
    await environment.close();

    // The same page, as the run before left it.
    const again = await begin(served.server, 'order');
    expect(again.start.info.title).toBe('Ordered: tea');
    await again.environment.close();
  });

  it('leads to no control channel', async () => {
    const { environment } = await begin(served.server, 'order');
    const { port } = new URL(served.server.address);
    const opened = await environment.step([`new_tab()\ngoto('http://127.0.0.1:${port}/')`]);
    expect(opened.error?.message).toMatch(/ERR_EMPTY_RESPONSE|closed the connection|empty/i);
    await environment.step(['tab_close()']);
    expect(await environment.call(call('grade'), 'evaluate', { signal })).toMatchObject({ value: 0 });
    await environment.close();
  });

  it.skipIf(ssh === null)('runs commands, and shows what they print', async () => {
    const { environment, start } = await begin(served.server, 'note');
    expect(start.offers).toEqual(['page', 'commands']);
    // HUD isolates the shell with this program.
    if ((await findProgram('bwrap')) === null) expect(start.warning).toContain('HUD does not isolate the shell');
    const written = await environment.step(['run("echo tea > note.txt; cat note.txt; exit 3")']);
    expect(written.error).toBeNull();
    expect(written.observation.text).toMatch(
      /^\$ echo tea > note\.txt; cat note\.txt; exit 3\ntea\n\[exit code 3\]\n\n/,
    );
    expect(written.info.outputs).toMatchObject([{ output: 'tea\n', exit_code: 3 }]);
    const late = await environment.step([{ type: 'run', cmd: 'sleep 60', timeout: 1 }, 'run("echo after it")']);
    expect(late.info.outputs).toMatchObject([{ timed_out: true }, { output: 'after it\n' }]);
    expect((await environment.step(['read_file("note.txt")'])).error).toMatchObject({ code: 'unknown_action' });
    expect(await environment.call(call('grade'), 'evaluate', { signal })).toMatchObject({ value: 1 });
    await environment.close();
    vi.stubEnv('PATH', '/nowhere');
    const missing = expect.stringContaining('Install an OpenSSH client.');
    expect(await terminalShell(served.server.address)).toEqual({ missing });
    vi.unstubAllEnvs();
    const terminal = (await terminalShell(served.server.address)) as TerminalProgram;
    const [program = '', ...args] = terminal.words;
    const child = spawn(program, args, { env: { ...process.env, ...terminal.variables } });
    child.stdin.end('cat note.txt; exit\n');
    const [printed] = await Promise.all([text(child.stdout), once(child, 'close')]);
    expect(printed).toContain('tea');
    await terminal.close();
    const missingShell = { name: 'gone', protocol: 'ssh/2', url: 'ssh://127.0.0.1:22', params: {} };
    await expect(Shell.open(served.server.address, missingShell)).rejects.toThrow('gone');
  });
});

const programs = (await missingPrograms()).filter((name) => name === 'Xtigervnc' || name === 'xterm');
if (programs.length > 0 && inCi) throw new Error(`missing: ${programs.join()}`);

describe.skipIf(venv === null || programs.length > 0)('a HUD environment with a desktop', { timeout: LIMIT }, () => {
  let served: Served;
  beforeAll(async () => {
    served = await serve('screen');
  }, LIMIT);
  afterAll(() => served.stop());

  it('shows it, which is acted on with mouse and keyboard, and graded', async () => {
    const { environment, start } = await begin(served.server, 'note');
    const { screenshot } = start.observation;
    expect(screenshot).toMatchObject({ type: 'png', width: 640, height: 400 });
    expect(start).toMatchObject({ offers: ['desktop'], info: { viewport: { width: 640, height: 400 } } });
    const frames: Picture[] = [];
    const stop = await environment.live((frame) => frames.push(frame));
    const typed = await environment.step([
      'mouse_click(100, 100)',
      'keyboard_type("echo \'Hello, World!\' > note.txt")',
    ]);
    expect(typed).toMatchObject({
      error: null,
      info: { acted: [{ point: { x: 100, y: 100 } }, { text: expect.stringContaining('Hello') }] },
    });
    expect(typed.observation.screenshot?.data).not.toEqual(screenshot?.data);
    expect((await environment.step(['keyboard_press("Enter")'])).error).toBeNull();
    const read = () => readFile(join(served.folder, 'note.txt'), 'utf8').catch(() => null);
    await expect.poll(read, { timeout: 60_000 }).toBe('Hello, World!\n');
    await expect.poll(() => frames.length, { timeout: 60_000 }).toBeGreaterThan(1);
    await stop();
    const errors: [string, string][] = [
      ['click("#a")', 'no_such_element'],
      ['goto("https://example.com")', 'unknown_action'],
      ['keyboard_press("Nonsense")', 'unknown_key'],
    ];
    for (const [action, code] of errors) expect((await environment.step([action])).error).toMatchObject({ code });
    expect(await environment.call(call('grade'), 'evaluate', { signal })).toMatchObject({ value: 1 });
    await environment.close();
  });
});
