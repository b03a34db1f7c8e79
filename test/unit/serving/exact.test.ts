import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { Json } from '../../../src/base/json.ts';
import type { Listening } from '../../../src/serving/http/main.ts';
import { listenWithTask } from './listening.ts';

// The answers are those of openenv 0.10.0 to the same requests, but for the white space that it prints at the WebSocket `/mcp`.

let server: Listening;
let resets: Json[] = [];
beforeAll(async () => {
  server = await listenWithTask((args) => resets.push(args));
});
afterAll(() => server.close());
beforeEach(() => {
  resets = [];
});

async function ask(method: string, path: string, body?: string | Buffer): Promise<readonly [number, string]> {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  const asked = request({ host: '127.0.0.1', port: server.port, method, path, headers, agent: false });
  asked.end(body);
  const [response] = await once(asked, 'response');
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return [response.statusCode, text];
}

async function answerTo(path: string, message: string): Promise<string> {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}${path}`);
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
  [
    '/reset',
    '{"episode_id":123456789012345678901234567890}',
    '{"detail":[{"type":"string_type","loc":["body","episode_id"],"msg":"Input should be a valid string","input":123456789012345678901234567890}]}',
  ],
  [
    '/step',
    '{"action":1.0}',
    '{"detail":[{"type":"dict_type","loc":["body","action"],"msg":"Input should be a valid dictionary","input":1.0}]}',
  ],
  [
    '/step',
    '{"action":{"action_str":1e22}}',
    '{"detail":[{"type":"string_type","loc":["action_str"],"msg":"Input should be a valid string","input":1e+22,"url":"https://errors.pydantic.dev/2.14/v/string_type"}]}',
  ],
  [
    '/step',
    '{"__proto__":1,"constructor":2,"toString":3}',
    '{"detail":[{"type":"missing","loc":["body","action"],"msg":"Field required","input":{"__proto__":1,"constructor":2,"toString":3}}]}',
  ],
  [
    '/reset',
    '12345678901234567890',
    '{"detail":[{"type":"model_attributes_type","loc":["body"],"msg":"Input should be a valid dictionary or object to extract fields from","input":12345678901234567890}]}',
  ],
])('POST %s repeats what is wrong in %s as it was written', async (path, body, answer) => {
  expect(await ask('POST', path, body)).toEqual([422, answer]);
});

it.each([
  [
    '/ws',
    '{"type":"reset","data":9007199254740993}',
    '{"type":"error","data":{"message":"Invalid message","code":"VALIDATION_ERROR","errors":[{"type":"dict_type","loc":["data"],"msg":"Input should be a valid dictionary","input":9007199254740993,"url":"https://errors.pydantic.dev/2.14/v/dict_type"}]}}',
  ],
  [
    '/ws',
    '{"type":"step","data":{"action_str":NaN}}',
    '{"type":"error","data":{"message":"Invalid message","code":"VALIDATION_ERROR","errors":[{"type":"string_type","loc":["action_str"],"msg":"Input should be a valid string","input":null,"url":"https://errors.pydantic.dev/2.14/v/string_type"}]}}',
  ],
  ['/ws', '1.0', `{"type":"error","data":{"message":"'float' object has no attribute 'get'","code":"SESSION_ERROR"}}`],
  [
    '/ws',
    '{"type":"mcp","data":{"jsonrpc":"2.0","method":"x","id":9007199254740993}}',
    '{"type":"mcp","data":{"jsonrpc":"2.0","id":9007199254740993,"error":{"code":-32601,"message":"Method not found: x","data":null}}}',
  ],
  [
    '/mcp',
    '{"jsonrpc":"2.0","method":"x","id":-123456789012345678901234567890}',
    '{"jsonrpc":"2.0","id":-123456789012345678901234567890,"error":{"code":-32601,"message":"Method not found: x","data":null}}',
  ],
])('A WebSocket of %s that sends %s gets its numbers back', async (path, message, answer) => {
  expect(await answerTo(path, message)).toBe(answer);
});

it.each([
  ['tools/list', '{"session_id":1.0}', 'Unknown session_id: 1.0'],
  ['openenv/session/close', '{"session_id":9007199254740993}', 'Unknown session_id: 9007199254740993'],
  ['tools/list', '{"session_id":NaN}', 'Unknown session_id: nan'],
])('The session of %s with %s is unknown', async (method, params, message) => {
  const [, answer] = await ask('POST', '/mcp', `{"jsonrpc":"2.0","method":"${method}","params":${params},"id":1}`);
  expect(answer).toBe(`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"${message}","data":null}}`);
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
  for (const seed of ['9007199254740992', '123456789012345678901234567890', '"9007199254740993"']) {
    expect(await ask('POST', '/reset', `{"seed":${seed}}`)).toEqual([
      422,
      `{"detail":[{"type":"less_than_equal","loc":["body","seed"],"msg":"Input should be less than or equal to 9007199254740991","input":${seed},"ctx":{"le":9007199254740991}}]}`,
    ]);
  }
  expect((await ask('POST', '/reset', '{"seed":9007199254740991}'))[0]).toBe(200);
  expect(resets).toEqual([{ seed: 9_007_199_254_740_991 }]);
});

it('A body of too many arrays in each other is refused', async () => {
  const body = `{"action":${'['.repeat(2000)}${']'.repeat(2000)}}`;
  expect(await ask('POST', '/step', body)).toEqual([400, '{"detail":"There was an error parsing the body"}']);
});
