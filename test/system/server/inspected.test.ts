import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { place, task } from './harness.ts';

/** What a debugger of JavaScript does, over the inspector's own protocol. */
class Inspector {
  readonly #socket: WebSocket;
  readonly #paused: ((params: Paused) => void)[] = [];
  /** The addresses of scripts, by the numbers that a stop names them by. */
  readonly scripts = new Map<string, string>();
  #id = 0;

  static async attach(port: number): Promise<Inspector> {
    const [target] = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
      webSocketDebuggerUrl: string;
    }[];
    const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '');
    await new Promise((resolve) => socket.addEventListener('open', resolve));
    const inspector = new Inspector(socket);
    await inspector.ask('Debugger.enable');
    return inspector;
  }

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const { method, params } = JSON.parse(String(data)) as { method?: string; params: Paused & Script };
      if (method === 'Debugger.scriptParsed') this.scripts.set(params.scriptId, params.url);
      if (method === 'Debugger.paused') this.#paused.shift()?.(params);
    });
  }

  ask(method: string, params = {}): Promise<void> {
    this.#id += 1;
    const id = this.#id;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve) => {
      const hear = ({ data }: MessageEvent): void => {
        if ((JSON.parse(String(data)) as { id?: number }).id !== id) return;
        this.#socket.removeEventListener('message', hear);
        resolve();
      };
      this.#socket.addEventListener('message', hear);
    });
  }

  paused(): Promise<Paused> {
    return new Promise((resolve) => this.#paused.push(resolve));
  }
}

interface Script {
  readonly scriptId: string;
  readonly url: string;
}

interface Paused {
  readonly callFrames: readonly { readonly location: { readonly scriptId: string; readonly lineNumber: number } }[];
}

const FUNCTIONS = `export async function ripe({ page }: { page: { title(): Promise<string> } }, wanted: string) {
  const title: string = await page.title();
  return title === wanted;
}
`;

async function fruit() {
  const folder = await mkdtemp(join(tmpdir(), 'taskwright-inspected-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'fruit.functions.ts'), FUNCTIONS);
  const { placement, log } = place();
  const server = await placement.server();
  const { session } = await server.request('session.open', {});
  const start = task('<title>Plum</title>', { file: join(folder, 'fruit.task.json') });
  await server.request('session.reset', { session, task: start, files: { folder }, seed: 0 });
  const range = { start: { line: 6, character: 4 }, end: { line: 6, character: 20 } };
  const call = { function: 'ripe', args: ['Plum'], range };
  const evaluate = (pause: boolean) =>
    server.request('session.evaluate', { session, call, limit_ms: 100, ...(pause ? { pause } : {}) });
  const inspect = () => server.request('session.inspect', { session, file: 'fruit.task.json' });
  return { folder, log, evaluate, inspect };
}

test('A function is entered on its first line, called from its place in the task file, and waits for the person', async () => {
  const { folder, evaluate, inspect, log } = await fruit();
  const { port } = await inspect();
  const inspector = await Inspector.attach(port);
  const stopped = inspector.paused();

  const outcome = evaluate(true);
  const { callFrames } = await stopped;

  const places = callFrames.map(
    ({ location }) => `${inspector.scripts.get(location.scriptId)?.replace(/\?v=\d+$/, '')}:${location.lineNumber}`,
  );
  expect(places.slice(0, 2)).toEqual([
    `${pathToFileURL(join(folder, 'fruit.functions.ts')).href}:1`,
    `${pathToFileURL(join(folder, 'fruit.task.json')).href}:6`,
  ]);
  // Longer than its limit and the grace beyond.
  await delay(1_300);
  await inspector.ask('Debugger.resume');
  expect(await outcome).toMatchObject({ value: 1 });
  // The address of the inspector is a secret.
  expect(log.join('\n')).not.toContain('ws://');
});

test('Where no debugger of JavaScript is attached nothing waits', async () => {
  const { evaluate, inspect } = await fruit();
  await inspect();
  expect(await evaluate(true)).toMatchObject({ value: 1 });
});

test('The inspector listens on the loopback only, at one port, however often it is asked for', async () => {
  const { inspect } = await fruit();
  const { port } = await inspect();
  expect(await inspect()).toEqual({ port });
  const others = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4');
  for (const { address } of others) {
    await expect(fetch(`http://${address}:${port}/json/list`)).rejects.toThrow();
  }
});
