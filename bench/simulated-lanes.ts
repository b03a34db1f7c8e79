// Simulates the lanes of a swarm, as a process whose standard streams are those of a relay. The lanes
// answer as late as real ones, and are lost as often. `LanesOrder` arrives as a message.
import { setTimeout as delay } from 'node:timers/promises';
import { Channel } from '../src/server/channel.ts';
import { encodeLaneFrame, jsonPayload, KIND, type Kind, LaneFrameDecoder } from '../src/server/lane/frames.ts';
import { Heartbeat } from '../src/server/lane/heartbeat.ts';
import { LaneStream } from '../src/server/lane/stream.ts';
import { PROTOCOL_VERSION } from '../src/server/protocol.ts';
import { randomFrom } from '../test/random.ts';

export interface LanesOrder {
  /** Name of the group that the lanes belong to. */
  readonly group: string;
  readonly lanes: number;
}

/** What a real lane takes, in ms: its server starts, then Node and the browser of the session, cold; then a step on a page. */
const DELAY: Readonly<Record<string, number>> = {
  hello: 250,
  'session.reset': 1_350,
  'session.step': 75,
  'session.setup': 75,
  'session.evaluate': 10,
};
/** The reset of a later run of the same server, which has a browser. */
const LATER_RESET = 200;
/** In one of so many steps the lane is lost; in one of ten of these its connection stays open, because its node is lost. */
const STEPS_TO_A_LOSS = 500;
/** How long Swarm takes to start a lost lane again, in ms: on another node, it first has to notice. */
const AGAIN = { closed: 3_000, silent: 30_000 } as const;
const LANES_OF_A_NODE = 25;

const PICTURE = { type: 'png' as const, data: new Uint8Array(4_096).fill(7), width: 1280, height: 720 };
const STATE = {
  observation: { text: 'button "Apply"\n'.repeat(50), screenshot: PICTURE },
  reward: null,
  terminated: false,
  info: {},
  error: null,
};
const RESULTS: Readonly<Record<string, object>> = {
  hello: { version: PROTOCOL_VERSION, server: 'simulated' },
  'session.open': { session: 's' },
  'session.reset': { ...STATE, goal: null, folder: '/task' },
  'session.step': STATE,
  'session.setup': { value: null, reason: '', duration_ms: 1, step: STATE },
  'session.evaluate': { value: 1, reason: 'There is one element.', duration_ms: 1, step: null },
  'tunnel.open': { failed: [] },
};

/** A connection, by its number. */
interface Connection {
  receive(kind: Kind, payload: Buffer): void;
}

/** How a connection ended: the owner ended the server, or the lane or its node was lost. */
type Outcome = 'ended' | 'closed' | 'silent';

const random = randomFrom(26);
const connections = new Map<number, Connection>();
let next = 1;

function tell(connection: number, kind: Kind, payload?: Uint8Array): void {
  process.stdout.write(encodeLaneFrame(connection, kind, payload));
}

/** Starts a server again whenever the last one was ended. */
async function lane(group: string, slot: number): Promise<never> {
  for (let losses = 0; ; ) {
    const end = await connection({ service: group, task: `${slot}-${losses}`, slot: String(slot) });
    if (end === 'ended') continue;
    losses += 1;
    await delay(AGAIN[end]);
  }
}

/** A server that executes one run after another. Resolves when the server ends or the lane is lost. */
function connection(hello: {
  readonly service: string;
  readonly task: string;
  readonly slot: string;
}): Promise<Outcome> {
  const number = next++;
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  let isLost = false;
  const send = (kind: Kind, payload?: Uint8Array): void => {
    if (!isLost) tell(number, kind, payload);
  };
  const stream = new LaneStream(send);
  const heartbeat = new Heartbeat({ ping: () => send(KIND.ping), lost: () => end('closed') });
  const end = (how: Outcome): void => {
    if (how !== 'silent') send(KIND.closed);
    isLost = true;
    heartbeat.stop();
    connections.delete(number);
    resolve(how);
  };
  let resets = 0;
  const channel = new Channel({
    input: stream,
    output: stream,
    onRequest: async (method, params) => {
      if (method === 'session.reset') resets += 1;
      if (method === 'session.step' && random() * STEPS_TO_A_LOSS < 1) end(random() < 0.1 ? 'silent' : 'closed');
      await delay(resets > 1 && method === 'session.reset' ? LATER_RESET : (DELAY[method] ?? 0));
      if (method === 'hello') channel.seal((params as { readonly secret: string }).secret);
      return RESULTS[method] ?? {};
    },
  });
  stream.on('end', () => {
    send(KIND.end, jsonPayload({ code: 0, signal: null }));
    end('ended');
  });
  connections.set(number, {
    receive: (kind, payload) => {
      heartbeat.reset();
      if (kind === KIND.closed) end('closed');
      else stream.receive({ connection: number, kind, payload });
    },
  });
  send(KIND.hello, jsonPayload({ ...hello, node: `node-${Math.floor(Number(hello.slot) / LANES_OF_A_NODE)}` }));
  return promise;
}

const decoder = new LaneFrameDecoder();
process.stdin.on('data', (chunk: Buffer) => {
  for (const { connection: number, kind, payload } of decoder.push(chunk))
    connections.get(number)?.receive(kind, payload);
});
// The owner has ended.
process.stdin.on('end', () => process.exit(0));
const pings = new Heartbeat({ ping: () => tell(0, KIND.ping), lost: () => process.exit(1) });
process.stdin.on('data', () => pings.reset());
process.on('message', ({ group, lanes }: LanesOrder) => {
  for (let slot = 0; slot < lanes; slot += 1) void lane(group, slot);
});
