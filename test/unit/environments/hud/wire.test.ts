import { describe, expect, it } from 'vitest';
import { ControlChannel, RefusalError } from '../../../../src/environments/hud/channel.ts';
import { FrameSocket } from '../../../../src/environments/hud/frames.ts';
import { parsePythonJson } from '../../../../src/python/json.ts';
import {
  CASES,
  CONNECTIONS,
  type Frame,
  isOurs,
  type Recorded,
  sentLine,
  serve,
  serveMethods,
} from './recorded-server.ts';

describe('a recorded server', () => {
  const replies = [...CONNECTIONS].filter(([, records]) => records.some((one) => sentLine(one) !== null));

  it('has every case', () => {
    expect(CASES.size).toBe(110);
  });

  it.each(replies)('is understood: %s', async (_name, records) => {
    const lines = records.flatMap((one) => sentLine(one) ?? []);
    const { port } = await serve((socket) => {
      const bytes = Buffer.from(lines.map((line) => `${line}\r\n`).join(''));
      // Parts of lines, and several lines at once.
      const size = Math.max(7, Math.floor(bytes.length / 20));
      for (let at = 0; at < bytes.length; at += size) socket.write(bytes.subarray(at, at + size));
      socket.end();
      return () => undefined;
    });
    const frames: Frame[] = [];
    const end = await new Promise<string>((resolve, reject) => {
      const listener = { onFrame: (frame: Frame) => void frames.push(frame), onEnd: resolve };
      FrameSocket.open('127.0.0.1', port, listener).catch(reject);
    });
    expect(end).toBe('closed the connection');
    expect(frames).toEqual(lines.map(parsePythonJson));
  });

  const exchanges = [...CONNECTIONS].filter(([, records]) => isOurs(records));

  it.each(exchanges)('answers our requests: %s', async (_name, records) => {
    const { address } = await serveRecorded(records);
    const channel = await ControlChannel.open(address);
    const requests = records.flatMap(({ dir, frame }) => (dir === 'c2s' && frame !== undefined ? [frame] : []));
    const answers = await Promise.all(
      requests.map(({ method, params }) =>
        channel.request(String(method), (params ?? {}) as Frame).then(
          (result) => ({ result }),
          (error: unknown) => {
            if (error instanceof RefusalError) return { error: { code: error.code, message: error.message } };
            // The connection was broken in the middle of the request.
            return 'lost';
          },
        ),
      ),
    );
    const replies = records.flatMap((one) => sentLine(one) ?? []).map((line) => parsePythonJson(line) as Frame);
    const recorded = requests.map(({ id }) => {
      const reply = replies.find((frame) => frame['id'] === id);
      if (reply === undefined) return 'lost';
      return reply['error'] === undefined ? { result: reply['result'] } : { error: reply['error'] };
    });
    expect(answers).toEqual(recorded);
    channel.drop();
  });
});

it('NaN and Infinity are read outside of strings alone', () => {
  expect(parsePythonJson('{"a":NaN,"b":[-Infinity,Infinity],"c":"NaN \\" Infinity"}')).toEqual({
    a: Number.NaN,
    b: [-Infinity, Infinity],
    c: 'NaN " Infinity',
  });
  expect(() => parsePythonJson('{"a":NaN')).toThrow(SyntaxError);
});

it('a line that is no JSON object ends the connection with what came', async () => {
  for (const line of ['nope', '[1]', '5', '']) {
    const { address } = await serve((socket) => {
      socket.write(`${line}\n`);
      return () => undefined;
    });
    const channel = await ControlChannel.open(address);
    await expect(channel.request('hello', {})).rejects.toMatchObject({
      code: 'environment_lost',
      message: expect.stringContaining(`: ${line}`),
    });
  }
});

/** `{"result":{"a":{"a":…}}}` with so many levels. */
const nested = (levels: number): string => `{"id":1,"result":${'{"a":'.repeat(levels - 1)}1${'}'.repeat(levels)}`;

it.each<[string, string | Buffer, string]>([
  ['another id', '{"id":2,"result":{}}', 'sent what answers no request: {"id":2,"result":{}}'],
  ['the id as a text', '{"id":"1","result":{}}', 'sent what answers no request'],
  ['a list as the id', '{"id":[1],"result":{}}', 'sent what answers no request'],
  ['no id', '{"result":{}}', 'sent what answers no request'],
  ['another id and an error', '{"id":7,"error":{"code":1,"message":"m"}}', 'sent what answers no request'],
  ['a notification', '{"method":"log","params":{}}', 'sent what answers no request'],
  ['no result', '{"id":1}', '“hello” was answered with nothing'],
  ['null', '{"id":1,"result":null}', '“hello” was answered with null'],
  ['a list', '{"id":1,"result":[1]}', '“hello” was answered with [1]'],
  ['a text as the error', '{"id":1,"error":"no"}', 'an error without a message: "no"'],
  ['no error', '{"id":1,"result":{},"error":null}', 'an error without a message: null'],
  ['another encoding', Buffer.from('{"id":1,"result":{"a":"\xe9"}}', 'latin1'), 'sent a line that is not JSON'],
  ['half a line', '{"id":1,"resu', 'closed the connection'],
  ['too many levels', nested(600), 'sent a line that is nested more than 500 levels deep'],
  ['levels without an end', '['.repeat(100_000), 'closed the connection'],
])('an answer with %s is an error, and nobody waits for another', async (_what, line, message) => {
  const { address } = await serve((socket) => () => {
    socket.write(line);
    if (message === 'closed the connection') socket.end();
    else socket.write('\n');
  });
  const channel = await ControlChannel.open(address);
  await expect(channel.request('hello', {}, null)).rejects.toThrow(message);
  channel.drop();
});

it.each([
  ['without a line end', '{"id":1,"result":{"a":1}}', { a: 1 }],
  ['with a byte order mark', '\uFEFF{"id":1,"result":{}}\n', {}],
  ['with an id in another spelling', '{"id":1.0,"result":{}}\n', {}],
  ['with many levels', `${nested(200)}\n`, expect.objectContaining({ a: expect.any(Object) })],
])('an answer %s is read', async (_what, line, result) => {
  const { address } = await serve((socket) => () => socket.end(line));
  const channel = await ControlChannel.open(address);
  await expect(channel.request('hello', {}, null)).resolves.toEqual(result);
});

it('the answer to a request that was given up is ignored, once', async () => {
  const { address } = await serve((socket) => {
    const ids: number[] = [];
    return (line) => {
      const { id } = JSON.parse(line) as { id: number };
      ids.push(id);
      if (ids.length === 2) for (const one of ids) socket.write(`{"id":${one},"result":{"of":${one}}}\n`);
      if (ids.length === 3) socket.write('{"id":1,"result":{}}\n');
    };
  });
  const channel = await ControlChannel.open(address);
  await expect(channel.request('hello', {}, 1)).rejects.toThrow('did not answer “hello” within 0.001 s');
  await expect(channel.request('tasks.start', {}, null)).resolves.toEqual({ of: 2 });
  await expect(channel.request('tasks.grade', {}, null)).rejects.toThrow('sent what answers no request');
});

it('a request that is too large for any HUD is refused, and the connection goes on', async () => {
  const { address } = await serveMethods((method) => ({ result: { method } }));
  const channel = await ControlChannel.open(address);
  await expect(channel.request('tasks.grade', { answer: 'x'.repeat(16 * 1024 * 1024) })).rejects.toThrow(
    'The request tasks.grade has 16.0 MiB, and HUD takes at most 16 MiB in a request.',
  );
  await expect(channel.request('tasks.list', {})).resolves.toEqual({ method: 'tasks.list' });
  channel.drop();
});

it('an old HUD closes the connection on a request of more than 64 KiB, which the error says', async () => {
  const { address } = await serve((socket) => () => socket.end());
  const channel = await ControlChannel.open(address);
  await expect(channel.request('tasks.grade', { answer: 'x'.repeat(70_000) })).rejects.toThrow(
    'closed the connection. It may be older than HUD 0.6.13: those take at most 64 KiB in a request, and “tasks.grade” has 69 KiB.',
  );
});

it('an error without an id belongs to the request that could not be read', async () => {
  const { address } = await serve((socket) => () => {
    socket.end('{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"frame is too large"}}\n');
  });
  const channel = await ControlChannel.open(address);
  await expect(channel.request('tasks.start', {})).rejects.toThrow(new RefusalError(-32000, 'frame is too large'));
});

it('an address that is none, and one where nothing listens, are told apart', async () => {
  await expect(ControlChannel.open('tcp:nowhere')).rejects.toMatchObject({ code: 'start_failed' });
  const { address, server } = await serve(() => () => undefined);
  await new Promise((resolve) => server.close(resolve));
  await expect(ControlChannel.open(address)).rejects.toMatchObject({
    code: 'environment_unreached',
    message: expect.stringContaining('ECONNREFUSED'),
  });
});

/** Plays the server's side of a connection, with the ids of the requests that it gets. */
function serveRecorded(records: readonly Recorded[]): ReturnType<typeof serve> {
  return serve((socket) => {
    let at = 0;
    const ids = new Map<Frame[string] | undefined, Frame[string] | undefined>();
    return (line) => {
      const got = JSON.parse(line) as Frame;
      const { frame } = records[at] ?? {};
      expect({ method: got['method'], params: got['params'] }).toEqual({
        method: frame?.['method'],
        params: frame?.['params'] ?? {},
      });
      ids.set(frame?.['id'], got['id']);
      for (at += 1; at < records.length && (records[at]?.dir === 's2c' || records[at]?.close === true); at += 1) {
        const one = records[at] as Recorded;
        if (one.eof === true || one.close === true) socket.end();
        const sent = sentLine(one);
        if (sent !== null) {
          const reply = parsePythonJson(sent) as Frame;
          const id = ids.get(reply['id']) ?? null;
          socket.write(`${sent.replace(/"id":(?:null|[^,]+)/, `"id":${JSON.stringify(id)}`)}\n`);
        }
      }
    };
  });
}
