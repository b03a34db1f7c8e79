import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { LaneEngine, NoLane } from '../../../../src/placement/lanes/engine.ts';
import type { Lane, LaneOutcome } from '../../../../src/placement/lanes/hub.ts';
import { LanePlacement } from '../../../../src/placement/lanes/placement.ts';
import type { Lease } from '../../../../src/placement/placement.ts';
import { Channel } from '../../../../src/server/channel.ts';
import { KIND, type Kind } from '../../../../src/server/lane/frames.ts';
import { LaneStream } from '../../../../src/server/lane/stream.ts';
import { PROTOCOL_VERSION } from '../../../../src/server/protocol.ts';
import type { Task } from '../../../../src/tasks/task.ts';
import { task, temporaryFolder } from '../../runs/tasks.ts';

/** The environment server of a lane, as the lane started it. */
interface Server {
  /** The requests that it got. */
  readonly asked: readonly string[];
  log(text: string): void;
  crash(): void;
}

const ANSWERS: Readonly<Record<string, object>> = {
  hello: { version: PROTOCOL_VERSION, server: 'stand-in' },
  'session.open': { session: 's' },
  'tunnel.open': { failed: [] },
};

/** A lane with a new server. */
function connect(service: string, slot: number): { readonly lane: Lane; readonly server: Server } {
  const ended = Promise.withResolvers<LaneOutcome>();
  const to = (other: () => LaneStream) => (kind: Kind, payload?: Uint8Array) =>
    queueMicrotask(() => other().receive({ connection: 0, kind, payload: Buffer.from(payload ?? []) }));
  const near: LaneStream = new LaneStream(to(() => far));
  const far: LaneStream = new LaneStream(to(() => near));
  const asked: string[] = [];
  const channel = new Channel({
    input: far,
    output: far,
    onRequest: async (method, params) => {
      asked.push(method);
      if (method === 'hello') channel.seal((params as { readonly secret: string }).secret);
      return ANSWERS[method] ?? {};
    },
  });
  const end = (outcome: LaneOutcome): void => {
    ended.resolve(outcome);
    near.destroy();
  };
  near.on('error', () => {});
  far.once('end', () => end({ server: { code: 0, signal: null } }));
  const hello = { service, task: `task-${slot}`, node: 'n1', slot };
  return {
    lane: { hello, stream: near, whenEnded: ended.promise, drop: () => end('closed') },
    server: {
      asked,
      log: (text) => void near.receive({ connection: 0, kind: KIND.log, payload: Buffer.from(`${text}\n`) }),
      crash: () => end({ server: { code: 1, signal: null } }),
    },
  };
}

/**
 * A placement whose lanes start a new server when theirs has ended, and all servers that they have started.
 * @param whyNoLane what keeps lanes away
 */
function place(
  lanes = 1,
  whyNoLane: () => NoLane | null = () => null,
): { readonly placement: LanePlacement<null>; readonly servers: readonly Server[] } {
  const servers: Server[] = [];
  let join: (lane: Lane) => void = () => {};
  let stopped = false;
  const start = (service: string, slot: number): void => {
    if (stopped) return;
    const { lane, server } = connect(service, slot);
    servers.push(server);
    join(lane);
    void lane.whenEnded.then(() => start(service, slot));
  };
  const engine: LaneEngine<null> = {
    ensureImage: async () => null,
    startRelay: async ({ onLane }) => {
      join = onLane;
      return { whenEnded: new Promise(() => {}), close: async () => {} };
    },
    startLanes: async ({ name }) => {
      for (let slot = 0; slot < lanes; slot += 1) start(name, slot);
    },
    whyNoLane: async () => whyNoLane(),
    endOf: async () => null,
    remove: async () => {
      stopped = true;
    },
  };
  const options = { kind: 'swarm', name: 'stand-ins', lanes, limits: {}, log: () => {} } as const;
  const placement = new LanePlacement({ ...options, connect: async () => engine });
  onTestFinished(() => placement.dispose());
  return { placement, servers };
}

async function taskOf(type: string): Promise<Task> {
  return task({ file: `${await temporaryFolder()}/one.task.json`, env: { type } });
}

const opening = { progress: () => {} };

/** What the Runner does at the end of a run that has opened a session. */
async function end(lease: Lease): Promise<void> {
  await lease.server.request('session.close', { session: 's' });
  await lease.release();
}

async function run(placement: LanePlacement<null>, one: Task): Promise<void> {
  const lease = await placement.open(one, opening);
  await lease.server.request('session.open', {});
  await end(lease);
}

describe('runs in one lane', () => {
  test('have the same server, one after the other, each with its own tunnel', async () => {
    const { placement, servers } = place();
    const one = await taskOf('hud-browser');

    await Promise.all([run(placement, one), run(placement, one), run(placement, await taskOf('qa'))]);

    const each = ['tunnel.open', 'session.open', 'session.close'];
    expect(servers.map(({ asked }) => asked)).toEqual([['hello', ...each, ...each, ...each]]);
    expect(placement.running()).toMatchObject([{ id: 'task-0', tasks: [] }]);
  });

  test.each(['coding', 'hud-ubuntu'])('have a server each where agents run commands (%s)', async (type) => {
    const { placement, servers } = place();
    const one = await taskOf(type);

    for (let round = 0; round < 3; round += 1) await run(placement, one);

    expect(servers.slice(0, 3).map(({ asked }) => asked.includes('session.open'))).toEqual([true, true, true]);
  });

  test('get a new server after a crash', async () => {
    const { placement, servers } = place();
    const one = await taskOf('hud-browser');
    await run(placement, one);
    const lease = await placement.open(one, opening);
    await lease.server.request('session.open', {});

    servers[0]?.crash();

    expect(await lease.server.whenEnded).toMatchObject({ code: 'container_died' });
    await expect(lease.server.request('session.close', { session: 's' })).rejects.toThrow('exit code 1');
    await lease.release();
    await run(placement, one);
    expect(servers[1]?.asked).toContain('session.open');
  });

  test.each([
    ['a session is left in theirs', async (lease: Lease) => void (await lease.server.request('session.open', {}))],
    [
      'the server may have opened a session for a run that was cancelled',
      async (lease: Lease) => {
        const cancel = new AbortController();
        const asked = lease.server.request('session.open', {}, cancel.signal);
        cancel.abort(new Error('cancelled'));
        await expect(asked).rejects.toThrow('cancelled');
      },
    ],
  ])('have a new server if %s', async (_what, leave) => {
    const { placement, servers } = place();
    const one = await taskOf('hud-browser');
    const lease = await placement.open(one, opening);
    await leave(lease);

    await lease.release();

    await run(placement, one);
    expect(servers[1]?.asked).toContain('session.open');
  });

  test('do not receive the log and the end of their server from other runs', async () => {
    const { placement, servers } = place();
    const one = await taskOf('hud-browser');
    const first = await placement.open(one, opening);
    let firstEnded = false;
    void first.server.whenEnded.then(() => {
      firstEnded = true;
    });
    servers[0]?.log('of the first run');
    await first.release();
    const second = await placement.open(one, opening);
    servers[0]?.log('of the second run');

    servers[0]?.crash();

    const { message } = await second.server.whenEnded;
    expect(message).toContain('of the second run');
    expect(message).not.toContain('of the first run');
    expect(firstEnded).toBe(false);
  });
});

describe('a run that gets no lane', () => {
  const UNREACHED: NoLane = { code: 'overlay_missing', message: 'lanes do not reach the relay' };

  /** Waits for a lane while `whyNoLane` gives the reasons, one for each number of seconds. */
  async function wait(...reasons: readonly (readonly [number, NoLane | null])[]): Promise<string> {
    let reason: NoLane | null = null;
    const { placement } = place(0, () => reason);
    const one = await taskOf('hud-browser');
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let state = 'waiting';
    placement.open(one, opening).catch((error: { readonly code: string }) => {
      state = error.code;
    });
    for (const [seconds, next] of reasons) {
      reason = next;
      await vi.advanceTimersByTimeAsync(seconds * 1_000);
    }
    return state;
  }

  test('ends when the same reason has kept lanes away for a minute', async () => {
    expect(await wait([63, UNREACHED])).toBe('overlay_missing');
  });

  test('keeps waiting while the reason is new, such as after an image was pulled', async () => {
    expect(await wait([300, null], [50, UNREACHED])).toBe('waiting');
    expect(await wait([50, { code: 'no_room', message: 'none' }], [50, UNREACHED])).toBe('waiting');
    expect(await wait([50, UNREACHED], [2, null], [50, UNREACHED])).toBe('waiting');
  });
});
