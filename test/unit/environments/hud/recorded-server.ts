import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Json } from '../../../../src/base/json.ts';

export type Frame = { readonly [key: string]: Json };

/** One line of the recording of a client and the control channel of hud 0.6.21. */
export interface Recorded {
  readonly case: string;
  readonly conn: string;
  readonly dir: 'c2s' | 's2c';
  readonly frame?: Frame;
  /** A line that is no JSON, or that is not a request of ours. */
  readonly raw?: string;
  /** The length of a long line, for a request with its line end, and its beginning. */
  readonly raw_len?: number;
  readonly raw_head?: string;
  readonly eof?: true;
  /** The server sent nothing for a while. */
  readonly timeout?: true;
  readonly close?: true;
  /** What was done, where it is not recorded. */
  readonly note?: string;
}

const lines = readFileSync(join(import.meta.dirname, '../../../fixtures/hud/wire-0.6.21.jsonl'), 'utf8');

const records = lines
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Partial<Recorded>)
  .filter((one): one is Recorded => one.dir !== undefined && one.conn !== undefined);

/** What was sent and received, by case. */
export const CASES = recordsBy((one) => one.case);

/** What each connection of each case sent and received, by `case connection`. */
export const CONNECTIONS = recordsBy((one) => `${one.case} ${one.conn}`);

function recordsBy(nameOf: (one: Recorded) => string): ReadonlyMap<string, readonly Recorded[]> {
  const groups = new Map<string, Recorded[]>();
  for (const one of records) groups.set(nameOf(one), [...(groups.get(nameOf(one)) ?? []), one]);
  return groups;
}

/** Whether a connection has only requests that our client can make. */
export function isOurs(records: readonly Recorded[]): boolean {
  const requests = records.filter(({ dir, close }) => dir === 'c2s' && close !== true);
  return (
    requests.length > 0 &&
    requests.every(({ frame }) => {
      const params = frame?.['params'] ?? {};
      const isObject = typeof params === 'object' && !Array.isArray(params);
      return typeof frame?.['method'] === 'string' && typeof frame['id'] === 'number' && isObject;
    })
  );
}

/** The line that the server sent; null where it sent none. */
export function sentLine({ dir, frame, raw, raw_len, raw_head }: Recorded): string | null {
  if (dir !== 's2c') return null;
  if (frame !== undefined) return JSON.stringify(frame);
  if (raw !== undefined) return raw;
  if (raw_len === undefined || raw_head === undefined) return null;
  // A long prompt, whose end is not in the recording.
  const end = '"}}';
  return `${raw_head}${'x'.repeat(raw_len - raw_head.length - end.length)}${end}`;
}

/** A server on the loopback interface for one test. `serve` gets each connection and its lines. */
export async function serve(
  connected: (socket: Socket) => (line: string) => void,
): Promise<{ readonly address: string; readonly port: number; readonly server: Server }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    const receive = connected(socket);
    let partial = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      const parts = (partial + chunk).split('\n');
      partial = parts.pop() ?? '';
      for (const line of parts) receive(line);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { address: `tcp://127.0.0.1:${port}`, port, server };
}

/** A server that answers requests by their method; a function that returns undefined answers nothing. */
export function serveMethods(
  answer: (method: string, params: Frame, socket: Socket, id: number) => Frame | undefined,
): ReturnType<typeof serve> {
  return serve((socket) => (line) => {
    const { id, method, params } = JSON.parse(line) as { id: number; method: string; params: Frame };
    const frame = answer(method, params, socket, id);
    if (frame !== undefined) socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...frame })}\n`);
    if (method === 'bye') socket.end();
  });
}
