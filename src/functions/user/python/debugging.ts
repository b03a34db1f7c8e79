import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import * as z from 'zod';
import type { Json } from '../../../base/json.ts';
import { jsonSchema } from '../../../base/json-validator.ts';
import { patient } from '../../../base/patience.ts';
import { withLimit } from '../../../base/timeout.ts';
import { untilAborted } from '../../../base/until-aborted.ts';
import type { Answerer, PythonProcess } from './process.ts';

const foundSchema = z.object({ missing: z.string().nullable(), programs: z.array(z.string()) });
/** The response of debugpy to authorization, with the secret that it was given. */
const authorizedSchema = z.looseObject({
  type: z.literal('response'),
  command: z.literal('pydevdAuthorize'),
  body: z.looseObject({ clientAccessToken: z.string() }),
});

/** The response to a `disconnect` request of the editor. */
const disconnectedSchema = z.looseObject({ type: z.literal('response'), command: z.literal('disconnect') });

/** The time limit for debugpy to connect, in ms. */
const CONNECT_LIMIT = patient(10_000);
/** The maximum size of a message in bytes. */
const MAX_BYTES = 64 * 1024 * 1024;
/** The maximum size of a message header in bytes. */
const MAX_HEADER = 1024;
const HEADER_END = '\r\n\r\n';

/**
 * debugpy in a session's Python process, which speaks the Debug Adapter Protocol. It connects to a local port here and
 * authenticates with a secret, so that Python does not need to listen on a port.
 */
export class PythonDebugging {
  readonly python: PythonProcess;
  /** The paths of Taskwright's Python program, in which the debugger must not stop. */
  readonly programs: readonly string[];
  readonly #socket: Socket;

  private constructor(python: PythonProcess, programs: readonly string[], socket: Socket) {
    this.python = python;
    this.programs = programs;
    this.#socket = socket;
  }

  /**
   * @param taskFile the file that appears as the caller of functions
   * @param listen receives protocol messages, and null when the connection ends
   * @throws Error with a message that continues after the function's name, if debugpy is missing or does not connect
   */
  static async open(
    python: PythonProcess,
    taskFile: string,
    listen: (message: Json | null) => void,
  ): Promise<PythonDebugging> {
    const { missing, programs } = foundSchema.parse(await python.request({ do: 'find debugger' }, nothing));
    if (missing !== null) throw new Error(missing);
    const { port, secret, connection, close } = await awaitDebugpy(listen);
    try {
      // The answer arrives after the editor is ready. Until then, no function is called.
      const attachment = python.request({ do: 'debug', port, secret, taskFile }, nothing);
      const failure = attachment.then(() => new Promise<never>(() => {}));
      const untilConnected = (stop: AbortSignal) => untilAborted(Promise.race([connection, failure]), stop);
      const onLate = (): Error => new Error('debugpy did not connect in time');
      return new PythonDebugging(python, programs, await withLimit(CONNECT_LIMIT, undefined, untilConnected, onLate));
    } catch (error) {
      // Python may be waiting for an editor that never connects.
      python.end();
      throw error;
    } finally {
      close();
    }
  }

  get closed(): boolean {
    return this.#socket.destroyed;
  }

  /** Forwards a protocol message. */
  send(message: Json): void {
    sendTo(this.#socket, message);
  }
}

/** A port that debugpy in another process connects to. */
export interface AwaitedDebugpy {
  /** On the loopback interface. */
  readonly port: number;
  /** What debugpy authenticates with. */
  readonly secret: string;
  readonly connection: Promise<Socket>;
  /** No other process can connect. */
  close(): void;
}

/** @param listen receives protocol messages, and null when the connection ends */
export async function awaitDebugpy(listen: (message: Json | null) => void): Promise<AwaitedDebugpy> {
  const secret = randomBytes(32).toString('hex');
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return { port, secret, connection: accept(server, secret, listen), close: () => void server.close() };
}

/** Sends a protocol message to debugpy. */
export function sendTo(debugpy: Socket, message: Json): void {
  debugpy.write(frame(message));
}

/** Accepts the first client that knows the secret. */
function accept(server: Server, secret: string, listen: (message: Json | null) => void): Promise<Socket> {
  const connection = Promise.withResolvers<Socket>();
  let client: Socket | null = null;
  server.on('connection', (socket) => {
    // `close` follows.
    socket.on('error', () => {});
    socket.on('close', () => socket === client && listen(null));
    const receive = (message: Json): void => {
      if (socket === client) {
        listen(message);
        // debugpy resumes all threads and keeps waiting for messages.
        if (disconnectedSchema.safeParse(message).success) socket.end();
        return;
      }
      const response = authorizedSchema.safeParse(message);
      if (client !== null || !response.success || response.data.body.clientAccessToken !== secret) {
        socket.destroy();
        return;
      }
      client = socket;
      connection.resolve(socket);
    };
    readMessages(socket, receive);
    socket.write(frame({ seq: 1, type: 'request', command: 'pydevdAuthorize', arguments: {} }));
  });
  return connection.promise;
}

function readMessages(socket: Socket, receive: (message: Json) => void): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    try {
      for (;;) {
        const head = headOf(rest);
        if (head === null || rest.byteLength < head.end + head.length) return;
        const text = rest.toString('utf8', head.end, head.end + head.length);
        rest = rest.subarray(head.end + head.length);
        receive(jsonSchema.parse(JSON.parse(text)));
      }
    } catch {
      // Only debugpy connects here, so this is a protocol error. The editor is notified that the connection has ended.
      socket.destroy();
    }
  });
}

/** The header, or null if it is incomplete. Throws if it is invalid. */
function headOf(bytes: Buffer): { readonly length: number; readonly end: number } | null {
  const end = bytes.indexOf(HEADER_END);
  if (end < 0 && bytes.byteLength <= MAX_HEADER) return null;
  const length = /^Content-Length: *(\d+)$/im.exec(bytes.toString('latin1', 0, Math.min(MAX_HEADER, end)))?.[1];
  if (length === undefined || Number(length) > MAX_BYTES) throw new Error('This is not a protocol message.');
  return { length: Number(length), end: end + HEADER_END.length };
}

function frame(message: Json): string {
  const text = JSON.stringify(message);
  return `Content-Length: ${Buffer.byteLength(text)}${HEADER_END}${text}`;
}

const nothing: Answerer = async ({ ask }) => {
  throw new Error(`${ask} is only available while a function runs`);
};
