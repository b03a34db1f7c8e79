import { PassThrough } from 'node:stream';
import { describe, expect, test, vi } from 'vitest';
import { Channel, type ChannelOptions } from '../../../src/server/channel.ts';
import { RequestFailure } from '../../../src/server/failure.ts';
import { encodeFrame, FrameDecoder } from '../../../src/server/frames.ts';

type Side = Omit<ChannelOptions, 'input' | 'output'>;

/** Two channels, each at one end of the same two streams. */
function pair(here: Side, there: Side) {
  const [up, down] = [new PassThrough(), new PassThrough()];
  return {
    here: new Channel({ ...here, input: down, output: up }),
    there: new Channel({ ...there, input: up, output: down }),
    up,
    down,
  };
}

describe('a request', () => {
  test('is answered, also when several are under way and answers come in another order', async () => {
    const waiting = Promise.withResolvers<string>();
    const { here } = pair(
      {},
      { onRequest: async (method, params) => (method === 'slow' ? await waiting.promise : { echo: params }) },
    );

    const slow = here.request('slow', null);

    expect(await here.request('echo', { data: new Uint8Array([1, 2]) })).toEqual({
      echo: { data: new Uint8Array([1, 2]) },
    });
    waiting.resolve('at last');
    expect(await slow).toBe('at last');
  });

  test('that is refused brings the code and the words', async () => {
    const { here } = pair(
      {},
      {
        onRequest: async () => {
          throw new RequestFailure('not_reached', 'Go round the other side.');
        },
      },
    );

    await expect(here.request('enter', {})).rejects.toMatchObject({
      code: 'not_reached',
      message: 'Go round the other side.',
    });
  });

  test('can be asked by both sides', async () => {
    const both = { onRequest: async (method: string) => method.toUpperCase() };
    const { here, there } = pair(both, both);

    expect(await Promise.all([here.request('one', 0), there.request('two', 0)])).toEqual(['ONE', 'TWO']);
  });

  test('that is cancelled is told to the other side, and its late result handed to whoever wants it', async () => {
    const cancelled = vi.fn();
    const late = vi.fn();
    const { here } = pair(
      {},
      {
        onRequest: (_method, _params, signal) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () => {
              cancelled();
              resolve('too late');
            });
          }),
      },
    );
    const controller = new AbortController();
    const reply = here.request('open', {}, controller.signal, late);

    controller.abort(new Error('not any more'));

    await expect(reply).rejects.toThrow('not any more');
    await vi.waitFor(() => expect(late).toHaveBeenCalledWith('too late'));
    expect(cancelled).toHaveBeenCalledOnce();
  });

  test('that is too large to send fails alone', async () => {
    const { here } = pair({}, { onRequest: async () => 'fine' });

    await expect(here.request('big', new Uint8Array(300 * 1024 * 1024))).rejects.toMatchObject({
      code: 'frame_too_large',
    });
    expect(await here.request('small', {})).toBe('fine');
  });

  test('is rejected when the other side goes', async () => {
    const closed = vi.fn();
    const { here, down } = pair({ onClose: closed }, { onRequest: () => new Promise(() => {}) });
    const reply = here.request('wait', {});

    down.end();

    await expect(reply).rejects.toMatchObject({ code: 'channel_closed' });
    await expect(here.request('again', {})).rejects.toMatchObject({ code: 'channel_closed' });
    expect(closed).toHaveBeenCalledExactlyOnceWith(null);
  });
});

describe('an event', () => {
  test('comes in the order it was said', async () => {
    const events: unknown[] = [];
    const { there } = pair({ onEvent: (event) => events.push(event) }, {});

    there.emit({ event: 'one' });
    there.emit({ event: 'two' });

    await vi.waitFor(() => expect(events).toEqual([{ event: 'one' }, { event: 'two' }]));
  });

  test('that may be left out is, while the other side does not read', () => {
    const unread = new PassThrough();
    const channel = new Channel({ input: new PassThrough(), output: unread });
    const picture = { event: 'frame', data: new Uint8Array(1024 * 1024) };

    const sentCount = Array.from({ length: 20 }, () => channel.emit(picture, true)).filter(Boolean).length;

    expect(sentCount).toBeLessThan(10);
    expect(channel.emit({ event: 'session.ended' })).toBe(true);
  });
});

test.each([
  ['is no frame', () => [Buffer.from('npm warn something\n')]],
  ['has no known shape', () => encodeFrame({ hello: 'there' })],
  ['has more than its shape', () => encodeFrame({ id: 1, result: 1, error: { code: 'a', message: 'b' } })],
])('A message that %s closes the channel, with words', async (_what, pieces) => {
  const closed = vi.fn();
  const input = new PassThrough();
  const channel = new Channel({ input, output: new PassThrough(), onClose: closed });
  const reply = channel.request('hello', {});

  for (const piece of pieces()) input.write(piece);

  await expect(reply).rejects.toMatchObject({ code: 'channel_broken' });
  expect(closed).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ message: expect.stringContaining('sent an invalid message') }),
  );
});

describe('A channel whose sides have agreed on a secret', () => {
  const seal = (secret: string, message: object) => Buffer.concat(encodeFrame({ secret, message }));
  const open = () => {
    const input = new PassThrough();
    const onEvent = vi.fn();
    const channel = new Channel({ input, output: new PassThrough(), onEvent: onEvent });
    channel.expectSeal('the secret');
    return { input, onEvent, channel };
  };

  test('takes messages with the secret, and without it only before the first of them', async () => {
    const { input, onEvent, channel } = open();
    const reply = channel.request('hello', {});

    input.write(Buffer.concat(encodeFrame({ event: 'early' })));
    input.write(seal('the secret', { id: 1, result: 'fine' }));

    expect(await reply).toBe('fine');
    expect(onEvent).toHaveBeenCalledExactlyOnceWith({ event: 'early' });
  });

  test.each([
    ['a result that nobody asked for', Buffer.concat(encodeFrame({ id: 2, result: 'forged' }))],
    ['an event', Buffer.concat(encodeFrame({ event: 'session.ended' }))],
    ['another secret', seal('a guess', { id: 2, result: 'forged' })],
    ['no frame', Buffer.from('forged\n'.repeat(10))],
  ])('is closed by %s', async (_what, bytes) => {
    const { input, onEvent, channel } = open();
    input.write(seal('the secret', { event: 'first' }));
    const reply = channel.request('session.evaluate', {});

    input.write(bytes);

    await expect(reply).rejects.toMatchObject({ code: 'channel_tampered' });
    expect(onEvent).toHaveBeenCalledTimes(1);
  });

  test('sends the secret with each message', () => {
    const output = new PassThrough();
    const channel = new Channel({ input: new PassThrough(), output });
    channel.seal('the secret');

    channel.emit({ event: 'log' });

    expect(new FrameDecoder().push(output.read())).toEqual([{ secret: 'the secret', message: { event: 'log' } }]);
  });
});
