import { cp, mkdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { describe, expect, test, vi } from 'vitest';
import type { Json } from '../../src/base/json.ts';
import type { Lease } from '../../src/placement/placement.ts';
import type { Task } from '../../src/tasks/task.ts';
import { start } from '../system/cli/program.ts';
import { root } from '../system/programs.ts';
import { call, task } from '../unit/runs/tasks.ts';
import { containersOf, daemon, forgetControllerImage, nothingLeftOf, place, temporaryFolder } from './harness.ts';

// The first lines are those of the example, so that its layers are found again.
const DOCKERFILE = (await readFile(join(root, 'examples', 'lights', 'controller', 'Dockerfile'), 'utf8')).split(
  '\nWORKDIR',
)[0] as string;

/** A task of a controller of its own folder. */
async function custom(more: Record<string, Json> = {}, dockerfile = DOCKERFILE): Promise<{ of: Task; folder: string }> {
  const folder = await temporaryFolder();
  await cp(join(root, 'test', 'fixtures', 'controller'), join(folder, 'controller'), { recursive: true });
  await writeFile(join(folder, 'controller', 'Dockerfile'), dockerfile);
  const env = { type: 'public', location: 'local', image_or_build_context: './controller', ...more };
  forgetControllerImage(join(folder, 'controller'));
  return { folder, of: task({ file: join(folder, 'some.task.json'), id: 'some', env }) };
}

async function session({ server, files }: Lease, of: Task) {
  const { session: id } = await server.request('session.open', {});
  const started = await server.request('session.reset', { session: id, task: of, files, seed: 0 });
  return {
    started,
    evaluate: (name: string, args: Json[] = [], limit_ms = 120_000) =>
      server.request('session.evaluate', { session: id, call: call(name, args), limit_ms }),
  };
}

/** Processes of a container that call a function of its controller. */
async function callsIn(container: Docker.Container): Promise<string[][]> {
  const { Processes } = (await container.top()) as { Processes: string[][] };
  return Processes.filter((row) => row.join(' ').includes('import json, keyword'));
}

const INIT = 'controller/src/hud_controller/__init__.py';

describe('a custom environment in Docker', () => {
  test('answers and fails as on this machine, and is gone with its run', async () => {
    const { of } = await custom();
    const { open } = place();
    const lease = await open(of);
    const { started, evaluate } = await session(lease, of);

    expect(started.observation).toEqual({ text: '0', screenshot: null });
    expect(await evaluate('prints')).toMatchObject({ value: 1, reason: 'returned 1' });
    expect(await evaluate('boom', [1])).toMatchObject({
      error: {
        code: 'call_threw',
        message: expect.stringMatching(
          /^`boom` failed \(controller\/src\/hud_controller\/__init__\.py:\d+\): ValueError/,
        ),
      },
    });
    expect(await evaluate('kills_itself')).toMatchObject({
      error: { message: expect.stringContaining('exited before it answered (exit code 137)') },
    });
    expect(await evaluate('starts_a_server')).toMatchObject({ value: 1 });
    expect(await evaluate('server_runs')).toMatchObject({ value: 1 });
    await lease.release();
    expect(await containersOf(process.pid)).toEqual([]);
  }, 300_000);

  test('gives up a function that never ends, and kills it', async () => {
    const { of } = await custom();
    const { open } = place();
    const lease = await open(of);
    const { evaluate } = await session(lease, of);

    expect(await evaluate('loops', [], 1_500)).toMatchObject({ error: { code: 'call_timeout' } });
    const [id] = await containersOf(process.pid);
    const container = (await daemon()).getContainer(id ?? '');
    await vi.waitFor(async () => expect(await callsIn(container)).toEqual([]), { timeout: 120_000, interval: 50 });
    expect(await evaluate('prints')).toMatchObject({ value: 1 });
    await lease.release();
  }, 300_000);

  test('that is killed says so to whoever waits', async () => {
    const { of } = await custom();
    const { open } = place();
    const lease = await open(of);
    const { evaluate } = await session(lease, of);
    const looping = evaluate('loops').catch((error: { code?: string }) => error.code);
    const [id] = await containersOf(process.pid);
    const container = (await daemon()).getContainer(id ?? '');
    await vi.waitFor(async () => expect(await callsIn(container)).toHaveLength(1), { timeout: 120_000, interval: 50 });
    await container.kill();

    expect(await looping).toBe('container_died');
    expect(await lease.server.whenEnded).toMatchObject({ message: expect.stringContaining('was killed') });
  }, 300_000);

  test('has the files of its folder as they are at each call, but those that .hudignore leaves out', async () => {
    const { of, folder } = await custom();
    await writeFile(join(folder, 'controller', '.hudignore'), '*.log\n');
    await mkdir(join(folder, 'controller', 'data'));
    await writeFile(join(folder, 'controller', 'data', 'big.log'), 'no');
    const path = join(folder, INIT);
    const text = await readFile(path, 'utf8');
    const listing =
      '\n\ndef listing():\n    return os.listdir(os.path.join(os.path.dirname(__file__), "../../data"))\n';
    await writeFile(path, text + listing);
    await writeFile(join(folder, 'controller', 'data', 'kept.txt'), 'yes');
    const { open } = place();
    const lease = await open(of);
    const { evaluate } = await session(lease, of);
    const listed = async () => JSON.stringify(await evaluate('listing'));

    expect(await listed()).toContain('[\\"kept.txt\\"]');
    await writeFile(path, `${text.replace('return 1.0', 'return 0.5')}${listing}`);
    await utimes(path, new Date(), new Date(Date.now() + 5_000));
    await writeFile(join(folder, 'controller', 'data', 'new.txt'), 'yes');
    await rm(join(folder, 'controller', 'data', 'kept.txt'));
    expect(await evaluate('prints')).toMatchObject({ value: 0.5 });
    expect(await listed()).toContain('[\\"new.txt\\"]');
    await lease.release();
  }, 300_000);

  test('is held in: no more rights, no ports, and the limits that host_config asks for', async () => {
    const host_config = { Memory: 300 * 1024 * 1024, PidsLimit: 77, PublishAllPorts: true };
    const { of } = await custom({ host_config });
    const { open } = place();
    const lease = await open(of);
    const [id] = await containersOf(process.pid);
    const { HostConfig, NetworkSettings } = await (await daemon()).getContainer(id ?? '').inspect();

    expect(HostConfig).toMatchObject({
      Memory: host_config.Memory,
      MemorySwap: host_config.Memory,
      PidsLimit: 77,
      Privileged: false,
      PublishAllPorts: false,
      SecurityOpt: ['no-new-privileges'],
    });
    expect(NetworkSettings.Ports).toEqual({});
    await lease.release();
  }, 300_000);

  test.each([
    [{ Privileged: true }, 'gives the container rights over the whole machine'],
    [{ Binds: ['/:/host'] }, 'mounts folders of the machine'],
    [{ NetworkMode: 'host' }, 'joins another network'],
  ])('is not started with %j', async (host_config, words) => {
    const { of } = await custom({ host_config } as Record<string, Json>);
    await expect(place().open(of)).rejects.toMatchObject({
      code: 'bad_host_config',
      message: expect.stringContaining(words),
    });
  });

  test('whose image cannot be built says at which line, with what was said last', async () => {
    const { of, folder } = await custom({}, `${DOCKERFILE}\nRUN echo no such luck; exit 3\n`);
    await expect(place().open(of)).rejects.toMatchObject({
      code: 'image_build_failed',
      message: expect.stringMatching(
        new RegExp(`${join(folder, 'controller', 'Dockerfile')}:\\d+:\\nRUN echo[^]*no such luck`),
      ),
    });
  }, 300_000);

  test.each([
    [
      'OpenEnv',
      `import http.server
class Health(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"status": "healthy"}')
http.server.HTTPServer(('127.0.0.1', 8000), Health).serve_forever()`,
      "It serves OpenEnv's routes on port 8000",
    ],
    [
      'HUD 0.6',
      `import socketserver
class Hello(socketserver.StreamRequestHandler):
    def handle(self):
        if b'hello' in self.rfile.readline():
            self.wfile.write(b'{"jsonrpc":"2.0","id":1,"result":{"session_id":"sess-1","env":{},"bindings":[]}}\\n')
socketserver.TCPServer(('127.0.0.1', 8765), Hello).serve_forever()`,
      'It serves the control channel of HUD 0.6 on port 8765',
    ],
  ])(
    'that is one of %s is recognised',
    async (_, program, words) => {
      const { of, folder } = await custom({}, `${DOCKERFILE}\nCOPY serve.py /serve.py\nCMD ["python3", "/serve.py"]\n`);
      await rm(join(folder, 'controller', 'src'), { recursive: true });
      await writeFile(join(folder, 'controller', 'serve.py'), program);
      await expect(place().open(of)).rejects.toMatchObject({
        code: 'no_controller',
        message: expect.stringContaining(words),
      });
      expect(await containersOf(process.pid)).toEqual([]);
    },
    300_000,
  );

  test('that names an image which is nowhere says so', async () => {
    const of = task({ env: { type: 'public', location: 'local', image_or_build_context: 'localhost:1/no/such:1' } });
    await expect(place().open(of)).rejects.toMatchObject({
      code: 'no_image',
      message: expect.stringContaining('image localhost:1/no/such:1 was not found'),
    });
  });

  test('ends with its owner, even where that is killed: it holds its standard input no more', async () => {
    const out = await temporaryFolder();
    const address = join(root, 'examples', 'lights', 'lights.tasks.yaml#lights-out');
    const args = ['run', address, '--placement', 'docker', '--agent', 'process:sleep 1000', '--out', out, '--verbose'];
    const { child, ended } = start(args, root);
    await vi.waitFor(
      async () => {
        const [id] = await containersOf(child.pid);
        const { State } = await (await daemon()).getContainer(id ?? 'none').inspect();
        expect(State.Running).toBe(true);
      },
      { timeout: 120_000, interval: 50 },
    );
    child.kill('SIGKILL');
    await ended;
    await nothingLeftOf(child.pid);
  }, 300_000);
});
