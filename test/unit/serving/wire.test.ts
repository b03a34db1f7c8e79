import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { root } from '../../../scripts/places.ts';
import type { Json } from '../../../src/base/json.ts';
import type { Listening } from '../../../src/serving/http/main.ts';
import { AGENT_TOKEN, listenWithTask } from './listening.ts';

/** A line of what openenv 0.10.0 was asked and answered, in cases whose answers no environment decides. */
interface Row {
  readonly case: string;
  readonly dir: '<' | '>';
  readonly frame: {
    readonly http?: string;
    readonly path?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: Json;
    readonly status?: number;
    readonly text?: string;
    readonly binary?: string;
    readonly ws_open?: string;
    readonly close?: { readonly code: number };
  };
}

const rows = (await readFile(join(root, 'test', 'fixtures', 'serving', 'wire.jsonl'), 'utf8'))
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Row);
const cases = [...new Set(rows.map((row) => row.case))].map(
  (name) => [name, rows.filter((row) => row.case === name)] as const,
);

/** The server of OpenEnv has no tokens. */
const AGENT = { authorization: `Bearer ${AGENT_TOKEN}` };

let server: Listening;
beforeAll(async () => {
  server = await listenWithTask();
});
afterAll(() => server.close());

async function ask({ http = 'GET', path = '/', headers = {}, body }: Row['frame']) {
  const { 'Access-Control-Request-Method': _method, Origin: _origin, ...sent } = headers;
  const clientRequest = request({
    host: '127.0.0.1',
    port: server.port,
    method: http,
    path,
    headers: { ...sent, ...AGENT },
  });
  clientRequest.end(typeof body === 'string' ? body : undefined);
  const [response] = await once(clientRequest, 'response');
  let text = '';
  for await (const chunk of response) text += String(chunk);
  const isJson = String(response.headers['content-type']).startsWith('application/json');
  return {
    status: response.statusCode,
    allow: response.headers.allow,
    type: response.headers['content-type'],
    body: isJson && text !== '' ? JSON.parse(text) : text,
  };
}

describe('The server answers as that of OpenEnv does', () => {
  const isHttp = ([, [first]]: (typeof cases)[number]): boolean => first?.frame.http !== undefined;

  it.each(cases.filter(isHttp))('%s', async (_name, conversation) => {
    const [asked, answered] = conversation;
    if (asked === undefined || answered === undefined) throw new Error('The case has no answer.');
    const { status, headers, body } = answered.frame;
    const reply = await ask(asked.frame);
    expect(reply.allow).toBe(headers?.['allow']);
    // FastAPI fails where JSON has no expression for the value that its error repeats.
    if (status === 500)
      return expect(reply).toMatchObject({ status: 422, body: { detail: [{ loc: expect.any(Array) }] } });
    expect(reply.status).toBe(status);
    if (status !== 307) expect(reply.type).toBe(headers?.['content-type']);
    // The environment of the recording has other fields.
    const expected = asked.case.startsWith('init.')
      ? JSON.parse(JSON.stringify(body).replaceAll('"message"', '"action_str"'))
      : body;
    expect(withoutWords(reply.body)).toEqual(withoutWords(expected));
  });

  it.each(cases.filter((one) => !isHttp(one)))('%s', async (_name, conversation) => {
    let socket: WebSocket | null = null;
    let next: () => Promise<unknown> = async () => undefined;
    for (const { dir, frame } of conversation) {
      if (frame.ws_open !== undefined) {
        socket?.terminate();
        socket = new WebSocket(`ws://127.0.0.1:${server.port}${frame.ws_open}`, { headers: AGENT });
        next = framesOf(socket);
        await once(socket, 'open');
      } else if (dir === '>') {
        if (frame.text !== undefined) socket?.send(frame.text);
        else if (frame.binary !== undefined) socket?.send(Buffer.from(frame.binary, 'hex'));
      } else {
        const value = await next();
        if (frame.close !== undefined) expect(value).toEqual({ close: frame.close.code });
        else expect(withoutWords(errorIn(value))).toEqual(withoutWords(errorIn(JSON.parse(frame.text ?? 'null'))));
      }
    }
    socket?.terminate();
  });
});

it.each([
  ['/reset', JSON.stringify({ episode_id: '\u{1f600}'.repeat(255) })],
  ['/reset', '{"seed":true}'],
  ['/reset', '{"seed":1.0}'],
  ['/reset', '\ufeff{"options":[NaN,-Infinity]}'],
  ['/step', '{"action":{"action_str":""},"timeout_s":1.5}'],
  ['/step', '{"action":{"action_str":""},"timeout_s":true}'],
])('POST %s takes %s, as in OpenEnv', async (path, body) => {
  const headers = { 'content-type': 'application/json' };
  expect(await ask({ http: 'POST', path, headers, body })).toMatchObject({ status: 200, body: { done: false } });
});

it.each([
  ['/reset', '{"seed":"1"}', 'seed'],
  ['/step', '{"action":{"action_str":""},"timeout_s":"1"}', 'timeout_s'],
  ['/step', '{"action":{"action_str":""},"timeout_s":Infinity}', 'timeout_s'],
  ['/task_env/task_range', '{"split":"train","start":"1"}', 'start'],
])('POST %s refuses %s, though OpenEnv takes it', async (path, body, key) => {
  const headers = { 'content-type': 'application/json' };
  const detail = [{ type: 'number_type', loc: ['body', key] }];
  expect(await ask({ http: 'POST', path, headers, body })).toMatchObject({ status: 422, body: { detail } });
});

it.each([
  ['{"split":"train","start":1}', []],
  ['{"split":"train","start":true,"stop":2.0}', []],
  ['{"split":"train","start":null,"stop":1}', [{ id: 'a' }]],
])('A range of tasks is %s', async (body, tasks) => {
  const headers = { 'content-type': 'application/json' };
  const { body: answer } = await ask({ http: 'POST', path: '/task_env/task_range', headers, body });
  expect(answer).toEqual({ tasks });
});

it.each(['/health', '/reset', '/nope', '/ws/'])('No WebSocket opens at %s', async (path) => {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}${path}`);
  const [error] = await once(socket, 'error');
  expect(error.message).toBe('Unexpected server response: 403');
});

it('Arrays in arrays in arrays end no connection', async () => {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/ws`);
  const next = framesOf(socket);
  await once(socket, 'open');
  for (const text of ['['.repeat(1e6), '{"a":'.repeat(1e6)]) socket.send(text);
  socket.send('{"type":"state"}');
  for (const type of ['error', 'error', 'state']) expect(await next()).toMatchObject({ type });
  socket.terminate();
});

it.each([
  ['GET', '/health/', '/health'],
  ['GET', '/state//?a=/', '/state?a=/'],
  ['POST', '/reset/', '/reset'],
  ['POST', '/task_env/num_tasks/', '/task_env/num_tasks'],
  ['DELETE', '/mcp/', '/mcp'],
])('%s %s leads to the route without the slash, as in OpenEnv', async (method, path, location) => {
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    method,
    headers: AGENT,
    redirect: 'manual',
  });
  expect([response.status, response.headers.get('location')]).toEqual([307, location]);
});

it('Slashes lead nowhere else', async () => {
  for (const path of ['//', '/nowhere/', '/ws/', '//evil.example/health/', '/%2F/']) {
    const [response] = await once(request({ host: '127.0.0.1', port: server.port, path }).end(), 'response');
    response.resume();
    expect([path, response.statusCode]).toEqual([path, 404]);
  }
});

/** An error; null for other answers, for errors of the environment of the recording, and for those in the words of Python. */
function errorIn(value: unknown): Json {
  const text = JSON.stringify(value);
  const isOther = /EXECUTION_ERROR|argument after \*\*|A request is a JSON object/.test(text);
  return isOther || !/"code"|"error"/.test(text) ? null : (value as Json);
}

/** An answer without what it says in other words than pydantic: only that there are some, and which value they are about. */
function withoutWords(answer: Json): Json {
  return JSON.parse(JSON.stringify(answer), (key, value) => {
    if (['input', 'ctx', 'url'].includes(key)) return undefined;
    if (['detail', 'message', 'msg'].includes(key) && typeof value === 'string') return value === '' ? '' : 'words';
    if (value?.type === 'json_invalid') return { ...value, loc: ['body'] };
    if (key === 'type') return String(value).replace(/^(int|float|number)_(type|parsing|from_float)$/, 'a number');
    return value;
  });
}

/** Gives the messages and the end of a connection, one after the other. */
function framesOf(socket: WebSocket): () => Promise<unknown> {
  const messages: unknown[] = [];
  let wake: () => void = () => undefined;
  const add = (frame: unknown): void => {
    messages.push(frame);
    wake();
  };
  socket.on('message', (data) => add(JSON.parse(String(data))));
  socket.on('close', (code) => add({ close: code }));
  return async () => {
    while (messages.length === 0) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return messages.shift();
  };
}
