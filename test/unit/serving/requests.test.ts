import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { Json } from '../../../src/base/json.ts';
import type { Listening } from '../../../src/serving/http/main.ts';
import { AGENT_TOKEN, listenWithTask } from './listening.ts';

let server: Listening;
let resets: Json[] = [];
beforeAll(async () => {
  server = await listenWithTask((args) => resets.push(args));
});
afterAll(() => server.close());
beforeEach(() => {
  resets = [];
});

const AGENT = { authorization: `Bearer ${AGENT_TOKEN}` };

async function ask(method: string, path: string, body?: string | Buffer): Promise<readonly [number, string]> {
  const headers = { ...AGENT, ...(body !== undefined && { 'content-type': 'application/json' }) };
  const clientRequest = request({ host: '127.0.0.1', port: server.port, method, path, headers, agent: false });
  clientRequest.end(body);
  const [response] = await once(clientRequest, 'response');
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return [response.statusCode, text];
}

async function answerTo(path: string, message: string): Promise<string> {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}${path}`, { headers: AGENT });
  await once(socket, 'open');
  socket.send(message);
  const [answer] = await once(socket, 'message');
  socket.terminate();
  return String(answer);
}

const littleEndian = (text: string): Buffer => Buffer.from(text, 'utf16le');
const bigEndian = (text: string): Buffer => littleEndian(text).swap16();

it.each([
  ['UTF-16, little endian', littleEndian],
  ['UTF-16, little endian, with a byte order mark', (text: string) => littleEndian(`\ufeff${text}`)],
  ['UTF-16, big endian', bigEndian],
  ['UTF-16, big endian, with a byte order mark', (text: string) => bigEndian(`\ufeff${text}`)],
  ['UTF-8 with a byte order mark', (text: string) => Buffer.from(`\ufeff${text}`)],
])('JSON in %s is read', async (_encoding, encode) => {
  expect((await ask('POST', '/reset', encode('{"seed":7,"episode_id":"é"}')))[0]).toBe(200);
  expect(resets).toEqual([{ seed: 7, episode_id: 'é' }]);
  expect(await ask('POST', '/mcp', encode('{"jsonrpc":"2.0","method":"x","id":"é"}'))).toEqual([
    200,
    '{"jsonrpc":"2.0","id":"é","error":{"code":-32601,"message":"Method not found: x","data":null}}',
  ]);
});

it.each([Buffer.from('{"seed":7\xff}', 'latin1'), littleEndian('{"seed":7}').subarray(0, -1)])(
  'A body in no encoding is refused',
  async (body) => {
    expect(await ask('POST', '/reset', body)).toEqual([400, '{"detail":"There was an error parsing the body"}']);
    expect(resets).toEqual([]);
  },
);

it.each([
  ['/reset', '{"episode_id":123456789012345678901234567890}', 'string_type', ['body', 'episode_id']],
  ['/reset', '12345678901234567890', 'model_attributes_type', ['body']],
  ['/step', '{"action":1.0}', 'dict_type', ['body', 'action']],
  ['/step', '{"action":{"action_str":1e22}}', 'string_type', ['action_str']],
  ['/step', '{"__proto__":1,"constructor":2,"toString":3}', 'missing', ['body', 'action']],
  ['/step', `{"action":${'['.repeat(2000)}${']'.repeat(2000)}}`, 'dict_type', ['body', 'action']],
])('POST %s says what is wrong in %s', async (path, body, type, loc) => {
  const [status, answer] = await ask('POST', path, body);
  expect([status, JSON.parse(answer)]).toEqual([422, { detail: [{ type, loc, msg: expect.stringMatching(/./) }] }]);
});

it('Many unknown keys are named once each', async () => {
  const action = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`key${at}`, 0]));
  const [status, answer] = await ask('POST', '/step', JSON.stringify({ action: { action_str: '', ...action } }));
  expect([status, JSON.parse(answer).detail.length]).toEqual([422, 1000]);
  expect(answer.length).toBeLessThan(100_000);
});

it('A message that is no object ends a connection of /ws', async () => {
  expect(JSON.parse(await answerTo('/ws', '1.0'))).toMatchObject({ type: 'error', data: { code: 'SESSION_ERROR' } });
});

it.each(['9007199254740993', '1.5', '{}', 'NaN'])('A request whose id is %s is refused', async (id) => {
  const answer = JSON.parse(await answerTo('/mcp', `{"jsonrpc":"2.0","method":"x","id":${id}}`));
  expect(answer).toMatchObject({ id: null, error: { code: -32600, message: expect.stringContaining('at id') } });
});

it.each([
  ['tools/list', '{"session_id":1.0}'],
  ['openenv/session/close', '{"session_id":9007199254740993}'],
  ['tools/list', '{"session_id":NaN}'],
  ['tools/list', `{"session_id":[${'['.repeat(5000)}${']'.repeat(5000)}]}`],
])('The session of %s with %s is unknown', async (method, params) => {
  const [, answer] = await ask('POST', '/mcp', `{"jsonrpc":"2.0","method":"${method}","params":${params},"id":1}`);
  expect(JSON.parse(answer)).toMatchObject({ id: 1, error: { code: -32602 } });
});

it.each([
  ['GET', '/he%61lth', 200, '{"status":"healthy"}'],
  ['GET', '/task_env%2Fsplits', 200, '[{"name":"train","type":"train"}]'],
  ['HEAD', '/he%61lth', 405, ''],
  ['GET', '/a%2Fb/splits', 404, '{"detail":"Not Found"}'],
  ['GET', '/health#x', 404, '{"detail":"Not Found"}'],
  ['GET', '/%zz/splits', 404, `{"detail":"unknown environment '%zz'"}`],
  ['GET', '/%/splits', 404, `{"detail":"unknown environment '%'"}`],
  ['GET', '/%ff/splits', 404, `{"detail":"unknown environment '\ufffd'"}`],
  ['GET', '/%2e%2e/splits', 404, `{"detail":"unknown environment '..'"}`],
  ['GET', '/task_env/splits?x=%zz', 200, '[{"name":"train","type":"train"}]'],
])('%s %s is answered with %d', async (method, path, status, answer) => {
  expect(await ask(method, path)).toEqual([status, answer]);
});

it('A seed that is not exact as a number is refused at its place, though OpenEnv takes it', async () => {
  for (const seed of ['9007199254740992', '123456789012345678901234567890']) {
    const [status, answer] = await ask('POST', '/reset', `{"seed":${seed}}`);
    const detail = [{ type: 'less_than_equal', loc: ['body', 'seed'] }];
    expect([status, JSON.parse(answer)]).toMatchObject([422, { detail }]);
  }
  expect((await ask('POST', '/reset', '{"seed":9007199254740991}'))[0]).toBe(200);
  expect(resets).toEqual([{ seed: 9_007_199_254_740_991 }]);
});
