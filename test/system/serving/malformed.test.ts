import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { caseCount } from '../../sample.ts';
import { needsLinux } from '../../systems.ts';
import { fileIn, temporaryFolder } from '../../unit/runs/tasks.ts';
import { type Served, serve } from './serving.ts';

const CAPITAL = { id: 'capital', prompt: 'Capital of France?', gym: 'qa', evaluate: ['response_includes', 'Paris'] };
/** How many are sent; all of them with `npm run test:long`. */
const CASES = caseCount(400, 10_000);
/** How much more memory the server may use after them than after a quarter of them, in bytes. */
const MORE_MEMORY = 100 * 1024 * 1024;

const json = fc.jsonValue({ maxDepth: 3 });
const key = fc.constantFrom(
  'type',
  'data',
  'seed',
  'task',
  'split',
  'index',
  'action_str',
  'jsonrpc',
  'method',
  'params',
  'id',
);
const word = fc.constantFrom(
  'reset',
  'step',
  'state',
  'mcp',
  'close',
  '2.0',
  'tools/call',
  'openenv/session/create',
  'act',
);
const nearly = fc.dictionary(key, fc.oneof(word, json, fc.dictionary(key, fc.oneof(word, json))));
const deep = fc.integer({ min: 1, max: 5000 }).map((depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`);
const text = fc.oneof(
  json.map((value) => JSON.stringify(value)),
  nearly.map((value) => JSON.stringify(value)),
  deep,
  fc.string(),
);

const path = fc.oneof(
  fc.constantFrom(
    '/reset',
    '/step',
    '/mcp',
    '/taskwright/task',
    '/taskwright/tasks',
    '/taskwright/task_range',
    '/ws',
    '/%',
    '//',
  ),
  fc.webPath(),
);
const method = fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD');
const type = fc.constantFrom('application/json', 'text/plain', 'application/x-www-form-urlencoded', '');

type Malformed =
  | { readonly kind: 'message'; readonly text: string }
  | {
      readonly kind: 'request';
      readonly method: string;
      readonly path: string;
      readonly type: string;
      readonly text: string;
    }
  | { readonly kind: 'bytes'; readonly upgraded: boolean; readonly bytes: Uint8Array };

const malformed: fc.Arbitrary<Malformed> = fc.oneof(
  fc.record({ kind: fc.constant('message' as const), text }),
  fc.record({ kind: fc.constant('request' as const), method, path, type, text }),
  fc.record({ kind: fc.constant('bytes' as const), upgraded: fc.boolean(), bytes: fc.uint8Array({ maxLength: 80 }) }),
);

/** Sends it, and resolves when the server has answered or closed the connection. */
async function send({ url }: Served, one: Malformed): Promise<void> {
  const { port, host } = new URL(url);
  if (one.kind === 'message') {
    const socket = new WebSocket(`ws://${host}/ws`);
    const ended = new Promise<void>((resolve) => {
      socket.on('close', () => resolve());
      socket.on('error', () => resolve());
    });
    socket.on('open', () => {
      socket.send(one.text);
      socket.send('{"type": "close"}');
    });
    await ended;
  } else if (one.kind === 'request') {
    const headers = one.type === '' ? {} : { 'content-type': one.type };
    const asked = request({ host: '127.0.0.1', port, method: one.method, path: encodeURI(one.path), headers });
    asked.on('error', () => undefined);
    // A connection may be closed instead.
    const answered = once(asked, 'response').catch(() => []);
    asked.end(/GET|HEAD|OPTIONS/.test(one.method) ? undefined : one.text);
    const [response] = await answered;
    response?.resume();
  } else {
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => undefined);
    const upgrade = `GET /ws HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}\r\n\r\n`;
    if (one.upgraded) {
      socket.write(upgrade);
      await Promise.race([once(socket, 'data'), once(socket, 'close')]);
    }
    socket.end(one.bytes);
    socket.resume();
    await once(socket, 'close');
  }
}

async function memoryOf({ pid }: Served): Promise<number> {
  const kilobytes = /VmRSS:\s*(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}

it.skipIf(needsLinux('malformed messages'))(
  `${CASES} malformed messages and requests neither end a server nor disturb a session, and use no memory`,
  async () => {
    const folder = await temporaryFolder();
    await fileIn(folder, 'some.tasks.json', JSON.stringify([CAPITAL]));
    const served = await serve(folder, '--concurrency', '16');
    const socket = new WebSocket(`ws://${new URL(served.url).host}/ws`);
    const got: string[] = [];
    socket.on('message', (data) => got.push(String(data)));
    await once(socket, 'open');
    socket.send('{"type": "reset", "data": {"task": "capital"}}');
    await expect.poll(() => got, { timeout: 60_000 }).toHaveLength(1);

    const all = fc.sample(malformed, { numRuns: CASES, seed: Number(process.env['TASKWRIGHT_TEST_SEED'] ?? 4) });
    let before = 0;
    for (let at = 0; at < all.length; at += 8) {
      await Promise.all(all.slice(at, at + 8).map((one) => send(served, one)));
      // By then its programs are compiled and its heap has grown.
      if (before === 0 && at >= CASES / 4) before = await memoryOf(served);
    }

    const more = (await memoryOf(served)) - before;
    expect(more).toBeLessThan(MORE_MEMORY);
    expect(got).toHaveLength(1);
    socket.send('{"type": "step", "data": {"action_str": "send_msg_to_user(\'Paris\')"}}');
    await expect.poll(() => got, { timeout: 60_000 }).toHaveLength(2);
    expect(JSON.parse(got[1] ?? '')).toMatchObject({ data: { reward: 1, done: true } });
    expect(served.said().err).not.toMatch(/Internal error|Unhandled/);
    socket.terminate();
  },
  CASES * 300,
);
