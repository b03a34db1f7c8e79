import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { encodeLaneFrame, jsonPayload, KIND, type Kind, LaneFrameDecoder } from './frames.ts';
import { Heartbeat } from './heartbeat.ts';
import type { Introduction, LaneEnd } from './hello.ts';
import { LaneStream } from './stream.ts';

export interface LaneOptions {
  readonly relay: { readonly host: string; readonly port: number };
  readonly introduction: Introduction;
  /** The environment server. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** The lane ends after its server was used, so that nothing of one run is there in the next. */
  readonly once: boolean;
  /** How long to look for the relay, at first and later, in ms. */
  readonly patience: { readonly first: number; readonly later: number };
  readonly signal: AbortSignal;
  log(text: string): void;
}

const RETRY = 500;
/** How long a server may take to end by itself, in ms. */
const END_GRACE = 3_000;

/**
 * Offers environment servers to the owner, one after the other, each over a connection of its own. Resolves with `used`
 * when the lane has to start afresh, and with `alone` when there is no relay any more.
 */
export async function runLane(options: LaneOptions): Promise<'used' | 'alone'> {
  let patience = options.patience.first;
  while (!options.signal.aborted) {
    const socket = await reach(options, patience);
    if (socket === null) break;
    const { used } = await serve(socket, options);
    if (used && options.once) return 'used';
    patience = options.patience.later;
  }
  return 'alone';
}

/** A connection to the relay; null if there was none in time. */
async function reach({ relay, signal }: LaneOptions, patience: number): Promise<Socket | null> {
  const deadline = performance.now() + patience;
  while (!signal.aborted) {
    const socket = connect(relay);
    try {
      await once(socket, 'connect', { signal });
      return socket;
    } catch {
      // Names of a new network take a moment to be known.
      socket.destroy();
      if (performance.now() + RETRY > deadline) return null;
      // Aborted when the container ends.
      await delay(RETRY, undefined, { signal }).catch(() => {});
    }
  }
  return null;
}

/** Serves the owner until the server or the connection has ended. `used`: the owner has sent something to the server. */
async function serve(socket: Socket, options: LaneOptions): Promise<{ readonly used: boolean }> {
  const { command, args, env, introduction, signal } = options;
  let isUsed = false;
  socket.setNoDelay(true);
  const child = spawn(command, args, { env, stdio: 'pipe' });
  const send = (kind: Kind, payload?: Uint8Array): void => {
    if (socket.writable) socket.write(encodeLaneFrame(0, kind, payload));
  };
  const stream = new LaneStream(send);
  send(KIND.hello, jsonPayload(introduction));
  const heartbeat = new Heartbeat({ ping: () => send(KIND.ping), lost: () => socket.destroy() });
  const decoder = new LaneFrameDecoder();
  socket.on('data', (chunk) => {
    heartbeat.reset();
    try {
      for (const frame of decoder.push(chunk)) {
        isUsed ||= frame.kind === KIND.data;
        stream.receive(frame);
      }
    } catch (error) {
      options.log((error as Error).message);
      socket.destroy();
    }
  });
  // A broken connection is closed next.
  socket.on('error', () => {});
  const whenClosed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const serverEnd = endOf(child);
  connectServer(child, stream);
  const abort = (): void => void socket.destroy();
  signal.addEventListener('abort', abort);
  // A broken stream closes the connection, too.
  const askedToEnd = once(stream, 'end').catch(() => {});
  await Promise.race([serverEnd, whenClosed, askedToEnd]);
  child.stdin.end();
  const late = setTimeout(() => child.kill('SIGKILL'), socket.destroyed ? 0 : END_GRACE);
  const end = await serverEnd;
  clearTimeout(late);
  send(KIND.end, jsonPayload(end));
  socket.end();
  await Promise.race([whenClosed, delay(END_GRACE, undefined, { ref: false })]);
  signal.removeEventListener('abort', abort);
  heartbeat.stop();
  stream.destroy();
  socket.destroy();
  return { used: isUsed };
}

/** Connects the standard streams of a server to its lane. */
function connectServer({ stdin, stdout, stderr }: ChildProcessWithoutNullStreams, stream: LaneStream): void {
  // The server may end while it is written to.
  stdin.on('error', () => {});
  stream.pipe(stdin);
  stdout.pipe(stream, { end: false });
  stderr.on('data', (text: Buffer) => {
    stream.log(text);
    if (!stream.congested) return;
    stderr.pause();
    stream.once('window', () => stderr.resume());
  });
}

/** How a process ended, after all of its output. */
function endOf(child: ChildProcess): Promise<LaneEnd> {
  return new Promise((resolve) => {
    child.once('error', () => resolve({ code: null, signal: null }));
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
}
