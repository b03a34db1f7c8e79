import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { partsOf } from '../../../src/environments/hud/address.ts';
import { ControlChannel, RefusalError } from '../../../src/environments/hud/channel.ts';
import { startEnvServer } from '../../../src/placement/hud/env-server.ts';
import type { StartedServer } from '../../../src/placement/shared-servers.ts';
import { parsePythonJson } from '../../../src/python/json.ts';
import { CASES, type Frame, isOurs, type Recorded, sentLine } from '../../unit/environments/hud/recorded-server.ts';
import { root } from '../programs.ts';
import { hudEnvironment } from '../python.ts';

const venv = await hudEnvironment();
const LIMIT = 120_000;
/** How long a server may take to notice that a connection was closed, in ms. */
const NOTICE = 30_000;
const PAUSE = 10;

/** The client's side of a connection. */
interface Peer {
  send(one: Recorded): void;
  /** Null if the server has closed the connection. */
  answer(recorded: Frame): Promise<Frame | null>;
  /** Resolves when the server has closed the connection. */
  ended(): Promise<void>;
  close(): void;
}

/** Makes the requests that our client makes too. */
class Client implements Peer {
  readonly #channel: ControlChannel;
  readonly #answers = new Map<unknown, Promise<Frame>>();

  constructor(channel: ControlChannel) {
    this.#channel = channel;
  }

  send({ frame }: Recorded): void {
    const { id, method, params } = frame as Frame;
    const answer = this.#channel.request(String(method), (params ?? {}) as Frame).then(
      (result): Frame => ({ result }),
      (error: unknown): Frame => {
        if (!(error instanceof RefusalError)) throw error;
        return { error: { code: error.code, message: error.message } };
      },
    );
    // It is awaited where the recording has it, if it has it.
    answer.catch(() => undefined);
    this.#answers.set(id, answer);
  }

  async answer({ id }: Frame): Promise<Frame> {
    return { jsonrpc: '2.0', id: id ?? null, ...(await this.#answers.get(id)) };
  }

  ended(): Promise<void> {
    return expect.poll(() => this.#channel.isOpen, { timeout: NOTICE, interval: PAUSE }).toBe(false);
  }

  close(): void {
    this.#channel.drop();
  }
}

/** Sends lines that our client does not send. */
class Lines implements Peer {
  readonly #socket: Socket;
  readonly #lines: AsyncIterator<string>;

  constructor(address: string) {
    const { hostname: host, port, secret } = partsOf(address);
    this.#socket = connect({ host, port });
    this.#socket.write(`${secret}\n`);
    // The connection ends after it, which the test awaits.
    this.#socket.on('error', () => undefined);
    this.#lines = createInterface({ input: this.#socket })[Symbol.asyncIterator]();
  }

  send({ raw, raw_len, raw_head, frame, note }: Recorded): void {
    if (frame !== undefined) this.#socket.write(`${JSON.stringify(frame)}\n`);
    else if (raw_len !== undefined && raw_head !== undefined) {
      const end = '"}}}\n';
      this.#socket.write(`${raw_head}${'a'.repeat(raw_len - raw_head.length - end.length)}${end}`);
    } else if (raw !== undefined) {
      // The recording has this character for bytes that are not UTF-8.
      this.#socket.write(raw.includes('\uFFFD') ? Buffer.from(raw.replace('\uFFFD', '\xFF'), 'latin1') : raw);
      if (!raw.endsWith('\n')) this.#socket.end();
    } else {
      expect(note).toBe('3 frames, first split over two writes');
      const frames = ['tasks.cancel', 'tasks.cancel', 'bye'].map((method, at) =>
        JSON.stringify({ id: at + 1, method }),
      );
      const text = `${frames.join('\n')}\n`;
      this.#socket.write(text.slice(0, 9), () => this.#socket.write(text.slice(9)));
    }
  }

  async answer(): Promise<Frame | null> {
    const line = await this.#next();
    return line === null ? null : (parsePythonJson(line) as Frame);
  }

  async ended(): Promise<void> {
    expect(await this.#next()).toBeNull();
  }

  /** Null if the connection has ended, or is broken. */
  #next(): Promise<string | null> {
    return this.#lines.next().then(
      ({ value, done }) => (done === true ? null : value),
      () => null,
    );
  }

  close(): void {
    this.#socket.destroy();
  }
}

describe.skipIf(venv === null)('hud 0.6.21', () => {
  let folder = '';
  let server: StartedServer;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'taskwright-hud-'));
    await cp(join(root, 'test', 'fixtures', 'hud', 'recorded'), folder, { recursive: true });
    await symlink(venv ?? '', join(folder, '.venv'));
    server = await startEnvServer({ hud: join(folder, 'env.py'), name: 'lab', startMs: LIMIT, log: () => {} });
  }, LIMIT);
  afterAll(async () => {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it.each([...CASES])('answers as recorded: %s', { timeout: LIMIT }, async (_name, records) => {
    const peers = new Map<string, Peer>();
    const requests = new Map<string, Recorded>();
    /** The sessions of the recording, and those of now. */
    const sessions = new Map<string, string>();
    const sleeps = records.some(({ frame }) => JSON.stringify(frame ?? null).includes('"sleepy"'));
    let isOneClosed = false;
    for (const one of records) {
      const { conn } = one;
      const peer = peers.get(conn) ?? (await connected(server.address, conn, records));
      peers.set(conn, peer);
      const recorded = sentLine(one);
      if (one.close === true) {
        peer.close();
        isOneClosed = true;
      } else if (one.eof === true) {
        await peer.ended();
      } else if (one.timeout === true) {
        const frame = { id: 'next', method: 'tasks.cancel' };
        peer.send({ ...one, dir: 'c2s', frame });
        expect(await peer.answer(frame)).toMatchObject({ id: 'next' });
      } else if (one.dir === 'c2s') {
        const sent = renamed(one, sessions);
        requests.set(`${conn} ${JSON.stringify(one.frame?.['id'])}`, sent);
        peer.send(sent);
      } else if (recorded !== null) {
        const frame = parsePythonJson(recorded) as Frame;
        const expected = comparable(frame, one);
        const request = requests.get(`${conn} ${JSON.stringify(frame['id'])}`);
        const wake = sleeps && frame['result'] !== undefined ? await awaken(server.address) : null;
        for (const late = Date.now() + NOTICE; ; await sleep(PAUSE)) {
          const answer = await peer.answer(frame);
          // A server that does not read a line to its end resets the connection, and its answer can be lost.
          if (answer === null && frame['id'] === null) break;
          if (answer === null) throw new Error(`the connection was closed before ${recorded}`);
          rememberSession(sessions, frame, answer);
          const got = comparable(renamed(answer, new Map([...sessions].map(([was, is]) => [is, was]))), one);
          // The server may not have noticed yet that another connection is closed.
          const mayBeEarly = isOneClosed && answer['error'] !== undefined && Date.now() < late;
          if (!isDeepStrictEqual(got, expected) && mayBeEarly && request !== undefined) {
            peer.send(request);
            continue;
          }
          expect(got).toEqual(expected);
          break;
        }
        await wake?.close();
      }
    }
    for (const peer of peers.values()) peer.close();
  });
});

async function connected(address: string, conn: string, records: readonly Recorded[]): Promise<Peer> {
  const isClient = isOurs(records.filter((one) => one.conn === conn));
  return isClient ? new Client(await ControlChannel.open(address)) : new Lines(address);
}

/** Ends the sleep of a template, which has begun or is about to. To be closed. */
async function awaken(address: string): Promise<ControlChannel> {
  const channel = await ControlChannel.open(address);
  channel.request('tasks.start', { id: 'wake' }).catch(() => undefined);
  return channel;
}

function rememberSession(sessions: Map<string, string>, recorded: Frame, got: Frame): void {
  const [was, is] = [recorded, got].map(({ result }) => (result as Frame | undefined)?.['session_id']);
  if (typeof was === 'string' && typeof is === 'string' && !sessions.has(was)) sessions.set(was, is);
}

/** With other names of sessions. */
function renamed<T extends object>(value: T, names: ReadonlyMap<string, string>): T {
  if (names.size === 0) return value;
  return JSON.parse(JSON.stringify(value).replace(/sess-[0-9a-f]{8}/g, (name) => names.get(name) ?? name)) as T;
}

/**
 * A frame without what can differ: the order of sessions, which of two errors it is, and `wake`. Of a long line, what the
 * recording has of it.
 */
function comparable(frame: Frame, { raw_len, raw_head }: Recorded): unknown {
  const text = JSON.stringify(frame);
  if (raw_len !== undefined && raw_head !== undefined) return [text.length, text.slice(0, raw_head.length)];
  const sorted = text.replace(/\((sess-[^)]*)\)/, (_, names: string) => names.split(', ').sort().join());
  // Which one depends on the parts that the line arrives in.
  const refused = sorted.replace(/(?<="Control-channel frame )(?:is|exceeds) [^"]*16777216 bytes[^"]*/, 'is too large');
  return JSON.parse(refused, (key, value) =>
    key === 'tasks' ? (value as readonly Frame[]).filter(({ id }) => id !== 'wake') : value,
  );
}
