import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Lane, LaneHub } from '../../../../src/placement/lanes/hub.ts';
import { encodeLaneFrame, jsonPayload, KIND, LaneFrameDecoder } from '../../../../src/server/lane/frames.ts';
import { Relay } from '../../../../src/server/lane/relay.ts';

const SECRET = 'known to the owner and its lanes';

/** Resolves when the other side has closed a connection in any way. */
function closing(socket: Socket): Promise<void> {
  socket.on('error', () => {});
  socket.resume();
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

/** An owner with its relay, in this process. */
async function swarm() {
  const [down, up] = [new PassThrough(), new PassThrough()];
  const log: string[] = [];
  const lanes: Lane[] = [];
  const ends: string[] = [];
  const relayEnded = Promise.withResolvers<void>();
  const hub = new LaneHub({
    input: up,
    output: down,
    secret: SECRET,
    onLane: (lane) => void lanes.push(lane),
    onEnd: (reason) => void ends.push(reason),
  });
  const relay = new Relay({
    input: down,
    output: up,
    port: 0,
    log: (text) => void log.push(text),
    ended: relayEnded.resolve,
  });
  const port = await relay.listening();
  onTestFinished(async () => {
    hub.close();
    down.end();
    await relayEnded.promise;
  });
  /** A lane as a socket that says what it is told to. */
  const dial = async (first?: Buffer): Promise<Socket> => {
    const socket = connect({ host: '127.0.0.1', port });
    await once(socket, 'connect');
    onTestFinished(() => void socket.destroy());
    if (first !== undefined) socket.write(first);
    return socket;
  };
  const join = async (more: object = {}): Promise<{ readonly socket: Socket; readonly lane: Lane }> => {
    const before = lanes.length;
    const hello = { secret: SECRET, service: 'lanes', task: `task-${before}`, node: 'n1', slot: '1', ...more };
    const socket = await dial(encodeLaneFrame(0, KIND.hello, jsonPayload(hello)));
    await expect.poll(() => lanes[before]?.hello.task).toBe(hello.task);
    const lane = lanes[before] as Lane;
    return { socket, lane };
  };
  return { down, up, log, lanes, ends, relayEnded: relayEnded.promise, hub, dial, join };
}

describe('lanes and their owner', () => {
  test('exchange the messages of a control channel', async () => {
    const { join } = await swarm();
    const { socket, lane } = await join();
    const fromOwner: Buffer[] = [];
    const decoder = new LaneFrameDecoder();
    socket.on('data', (chunk: Buffer) => {
      for (const frame of decoder.push(chunk)) if (frame.kind === KIND.data) fromOwner.push(frame.payload);
    });
    const fromLane: Buffer[] = [];
    lane.stream.on('data', (data: Buffer) => void fromLane.push(data));
    const log: Buffer[] = [];
    lane.stream.on('log', (text: Buffer) => void log.push(text));

    lane.stream.write('reset');
    socket.write(encodeLaneFrame(0, KIND.log, Buffer.from('a line\n')));
    socket.write(encodeLaneFrame(0, KIND.data, Buffer.from('observation')));

    await expect.poll(() => Buffer.concat(fromOwner).toString()).toBe('reset');
    await expect.poll(() => Buffer.concat(fromLane).toString()).toBe('observation');
    expect(Buffer.concat(log).toString()).toBe('a line\n');
  });

  test('have a slot, which is 0 for the id of a node', async () => {
    const { join } = await swarm();

    const slots = [await join({ slot: '3' }), await join({ slot: 'bq1xw0vyz6k3n0l8s5d7fj2a9' })].map(
      ({ lane }) => lane.hello.slot,
    );

    expect(slots).toEqual([3, 0]);
  });

  test('report how the server ended, after all of its output', async () => {
    const { join } = await swarm();
    const { socket, lane } = await join();
    const said: Buffer[] = [];
    lane.stream.on('data', (data: Buffer) => void said.push(data));

    socket.write(encodeLaneFrame(0, KIND.data, Buffer.from('last words')));
    socket.end(encodeLaneFrame(0, KIND.end, jsonPayload({ code: 137, signal: null })));

    expect(await lane.whenEnded).toEqual({ server: { code: 137, signal: null } });
    expect(Buffer.concat(said).toString()).toBe('last words');
  });

  test('are closed if they lose their connection, without the others', async () => {
    const { join } = await swarm();
    const [lost, kept] = [await join(), await join()];

    lost.socket.destroy();

    expect(await lost.lane.whenEnded).toBe('closed');
    kept.lane.stream.on('data', () => {});
    kept.socket.end(encodeLaneFrame(0, KIND.end, jsonPayload({ code: 0, signal: null })));
    expect(await kept.lane.whenEnded).toEqual({ server: { code: 0, signal: null } });
  });

  test('have their connection closed when they are dropped, and their further messages are ignored', async () => {
    const { join, ends } = await swarm();
    const { socket, lane } = await join();
    const heard: Buffer[] = [];
    lane.stream.on('data', (data: Buffer) => void heard.push(data));
    const closed = closing(socket);

    socket.write(encodeLaneFrame(0, KIND.data, Buffer.from('late')));
    lane.drop();
    await closed;

    expect(await lane.whenEnded).toBe('closed');
    expect(heard).toEqual([]);
    expect(ends).toEqual([]);
  });

  test('all end when the relay ends, which the owner is notified of', async () => {
    const { join, up, ends } = await swarm();
    const { lane } = await join();

    up.destroy();

    expect(await lane.whenEnded).toBe('closed');
    expect(ends).toEqual(['the connection was closed']);
  });

  test('end with their owner', async () => {
    const { join, down, relayEnded } = await swarm();
    const { socket } = await join();
    const closed = closing(socket);

    down.end();

    await Promise.all([relayEnded, closed]);
  });
});

/** The first frame of a lane with this secret. */
function helloWith(secret: unknown): Buffer {
  return encodeLaneFrame(0, KIND.hello, jsonPayload({ secret, service: 's', task: 't', node: 'n', slot: '1' }));
}

const UNKNOWN = 'it does not know the secret';

describe('the relay', () => {
  test.each([
    ['has a wrong secret', helloWith(SECRET.replace('k', 'K')), UNKNOWN],
    ['has a part of the secret', helloWith(SECRET.slice(0, -1)), UNKNOWN],
    ['has more than the secret', helloWith(`${SECRET} `), UNKNOWN],
    ['has an empty secret', helloWith(''), UNKNOWN],
    ['has no secret', helloWith(undefined), '"secret"'],
    ['has a secret that is no text', helloWith([SECRET]), '"secret"'],
    ['says hello in something else than JSON', encodeLaneFrame(0, KIND.hello, Buffer.from(SECRET)), 'not valid JSON'],
    ['does not say who it is', encodeLaneFrame(0, KIND.data, Buffer.from('data')), 'it did not say who it is'],
    ['is something else', Buffer.from('GET / HTTP/1.1\r\nHost: relay\r\n\r\n'), 'GET / HTTP/1.1 Host: relay'],
    ['sends garbage', Buffer.alloc(64, 0xff), 'Something other than a lane has written'],
  ])('closes a connection that %s, and goes on', async (_, first, reason) => {
    const { dial, join, lanes, log, ends } = await swarm();

    const socket = await dial();
    const closed = closing(socket);
    // What follows a wrong hello in the same packet is not heard either.
    socket.write(Buffer.concat([first, encodeLaneFrame(0, KIND.data, Buffer.from('data'))]));
    await closed;

    expect(lanes).toEqual([]);
    expect(log).toEqual([expect.stringContaining(reason)]);
    expect((await join()).lane.hello.node).toBe('n1');
    expect(ends).toEqual([]);
  });

  test('rejects all connections until its owner has sent the secret', async () => {
    const down = new PassThrough();
    const up = new PassThrough();
    const log: string[] = [];
    const relay = new Relay({ input: down, output: up, port: 0, log: (text) => void log.push(text), ended: () => {} });
    const socket = connect({ host: '127.0.0.1', port: await relay.listening() });
    onTestFinished(() => void down.end());
    const closed = closing(socket);

    socket.write(helloWith(''));

    await closed;
    expect(log).toEqual([`A connection was refused: ${UNKNOWN}`]);
    expect(up.read()).toBeNull();
  });

  test('ends all lanes with the text of an error in its streams', async () => {
    const { up, ends } = await swarm();

    up.write('Error response from daemon: container is not running\n');

    await expect.poll(() => ends).toEqual([expect.stringContaining('Error response from daemon')]);
  });
});
