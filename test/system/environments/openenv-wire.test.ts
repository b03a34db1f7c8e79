import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';
import type { Json } from '../../../src/base/json.ts';
import { addressesOf } from '../../../src/environments/openenv/addresses.ts';
import { type EnvironmentAnswer, OpenEnvSession, RefusalError } from '../../../src/environments/openenv/session.ts';
import { root } from '../programs.ts';

/** A line of a conversation that was recorded with openenv 0.10.0. */
interface Row {
  readonly case: string;
  readonly dir: '<' | '>';
  readonly frame: { readonly text?: string; readonly close?: { readonly code: number | null } };
}

/** What the client sends, and the frames that the server sends then. */
interface Exchange {
  readonly sent: { readonly type: string; readonly data?: { readonly [key: string]: Json } } | null;
  readonly frames: Row['frame'][];
}

const rows = (await readFile(join(root, 'test', 'fixtures', 'openenv', 'wire.jsonl'), 'utf8'))
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Row);
const cases = [...new Set(rows.map((row) => row.case))].map(
  (name) => [name, rows.filter((row) => row.case === name)] as const,
);

/** The first exchange is the connection. */
function exchangesOf(conversation: readonly Row[]): readonly Exchange[] {
  const exchanges: Exchange[] = [{ sent: null, frames: [] }];
  for (const { dir, frame } of conversation) {
    if (dir === '<') exchanges.at(-1)?.frames.push(frame);
    else if (frame.text !== undefined) exchanges.push({ sent: JSON.parse(frame.text), frames: [] });
  }
  return exchanges;
}

/** Plays the recorded server, and keeps what it is sent. */
async function play(exchanges: readonly Exchange[]): Promise<{ url: string; heard: unknown[] }> {
  const heard: unknown[] = [];
  const server = createServer();
  const sockets = new WebSocketServer({ server, path: '/ws' });
  sockets.on('connection', (socket) => {
    const answer = ({ frames }: Exchange): void => {
      for (const { text, close } of frames) {
        if (text !== undefined) socket.send(text);
        else if (close !== undefined) socket.close(close.code ?? 1000);
      }
    };
    answer(exchanges[0] as Exchange);
    socket.on('message', (data) => {
      heard.push(JSON.parse(String(data)));
      const exchange = exchanges[heard.length];
      if (exchange === undefined) socket.close(1000);
      else answer(exchange);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets.clients) socket.terminate();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard };
}

function ask(session: OpenEnvSession, { type, data = {} }: NonNullable<Exchange['sent']>) {
  if (type === 'reset') return session.reset(data);
  return type === 'step' ? session.step(data) : session.state();
}

/** What a recorded answer means. */
function meaningOf(text: string): unknown {
  const { type, data } = JSON.parse(text) as { type: string; data: { readonly [key: string]: Json } };
  if (type === 'state') return data;
  if (type === 'error') return { refused: data['code'] };
  const { observation, reward, done } = data as unknown as Omit<EnvironmentAnswer, 'reward'> & { reward: Json };
  return { observation, reward: typeof reward === 'boolean' ? Number(reward) : reward, done };
}

const ENDS: Readonly<Record<string, string>> = {
  CAPACITY_REACHED: 'environment_full',
  FACTORY_ERROR: 'environment_failed',
  SESSION_ERROR: 'environment_failed',
};

it.each(cases)('the conversation %s is had again', async (_name, conversation) => {
  const exchanges = exchangesOf(conversation);
  const { url, heard } = await play(exchanges);
  const session = await OpenEnvSession.open(addressesOf(url), 5_000);
  onTestFinished(() => session.close());
  const asked = exchanges.flatMap(({ sent }) => (sent === null || sent.type === 'close' ? [] : sent));
  const unasked = exchanges[0]?.frames.length !== 0;
  for (const [index, sent] of (unasked ? [{ type: 'state' }] : asked).entries()) {
    const frames = exchanges[unasked ? 0 : index + 1]?.frames ?? [];
    const text = frames.find((frame) => frame.text !== undefined)?.text;
    const answer = await ask(session, sent).catch((error: Error & { code: string }) =>
      error instanceof RefusalError ? { refused: error.code } : { ended: error.code },
    );
    const meaning = text === undefined ? null : meaningOf(text);
    const code = (meaning as { refused?: string } | null)?.refused;
    if (code !== undefined && ENDS[code] !== undefined) {
      expect(answer).toEqual({ ended: ENDS[code] });
      return;
    }
    expect(answer).toEqual(meaning);
  }
  expect(heard).toEqual(asked.map((sent) => (sent.type === 'reset' ? { data: {}, ...sent } : sent)));
});

it('there are conversations', () => {
  expect(cases.length).toBeGreaterThan(18);
});
