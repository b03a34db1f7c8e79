import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import * as z from 'zod';
import { type Json, jsonSchema } from '../../../tasks/task.ts';
import type { Answerer, PythonProcess } from './process.ts';

const foundSchema = z.object({ missing: z.string().nullable(), program: z.string() });
/** What debugpy answers to whoever it has connected to: the secret that it was given. */
const authorizedSchema = z.looseObject({
  type: z.literal('response'),
  command: z.literal('pydevdAuthorize'),
  body: z.looseObject({ clientAccessToken: z.string() }),
});

/** Of the editor. */
const letsGoSchema = z.looseObject({ type: z.literal('response'), command: z.literal('disconnect') });

/** How long debugpy may take to connect, in ms. */
const CONNECT_LIMIT = 10_000;
/** Largest message in bytes. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Largest head of a message in bytes. */
const MOST_HEAD = 1024;
const HEAD_END = '\r\n\r\n';

/**
 * debugpy in a session's Python, which speaks the Debug Adapter Protocol: it connects to a port of the loopback here and
 * shows that it is who was asked, by a secret. Nothing listens in Python.
 */
export class PythonDebugging {
  readonly python: PythonProcess;
  /** What is ours in Python, and not to be stopped in. */
  readonly program: string;
  readonly #socket: Socket;

  private constructor(python: PythonProcess, program: string, socket: Socket) {
    this.python = python;
    this.program = program;
    this.#socket = socket;
  }

  /**
   * @param taskFile from which functions seem to be called
   * @param listen hears messages of the protocol, and null when the connection has ended
   * @throws Error in words that go on from the function's name, where debugpy is not there or does not connect
   */
  static async open(
    python: PythonProcess,
    taskFile: string,
    listen: (message: Json | null) => void,
  ): Promise<PythonDebugging> {
    const { missing, program } = foundSchema.parse(await python.request({ do: 'find debugger' }, nothing));
    if (missing !== null) throw new Error(missing);
    const secret = randomBytes(32).toString('hex');
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    try {
      const connected = accept(server, secret, listen);
      // It answers when the editor is ready too; until then no function is called.
      const debugged = python.request({ do: 'debug', port, secret, taskFile }, nothing);
      const failed = debugged.then(() => new Promise<never>(() => {}));
      const late = AbortSignal.timeout(CONNECT_LIMIT);
      const gaveUp = once(late, 'abort').then(() => {
        throw new Error('debugpy did not connect in time');
      });
      return new PythonDebugging(python, program, await Promise.race([connected, failed, gaveUp]));
    } catch (error) {
      // It may be waiting for an editor that does not come.
      python.end();
      throw error;
    } finally {
      server.close();
    }
  }

  get closed(): boolean {
    return this.#socket.destroyed;
  }

  /** Passes on a message of the protocol. */
  send(message: Json): void {
    this.#socket.write(framed(message));
  }
}

/** Whoever connects first and knows the secret. */
function accept(server: Server, secret: string, listen: (message: Json | null) => void): Promise<Socket> {
  const accepted = Promise.withResolvers<Socket>();
  let known: Socket | null = null;
  server.on('connection', (socket) => {
    // Its end is told by `close`.
    socket.on('error', () => {});
    socket.on('close', () => socket === known && listen(null));
    const hear = (message: Json): void => {
      if (socket === known) {
        listen(message);
        // It resumes what stands still and goes on listening for more.
        if (letsGoSchema.safeParse(message).success) socket.end();
        return;
      }
      const said = authorizedSchema.safeParse(message);
      if (known !== null || !said.success || said.data.body.clientAccessToken !== secret) {
        socket.destroy();
        return;
      }
      known = socket;
      accepted.resolve(socket);
    };
    readMessages(socket, hear);
    socket.write(framed({ seq: 1, type: 'request', command: 'pydevdAuthorize', arguments: {} }));
  });
  return accepted.promise;
}

function readMessages(socket: Socket, hear: (message: Json) => void): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    try {
      for (;;) {
        const head = headOf(rest);
        if (head === null || rest.byteLength < head.end + head.length) return;
        const text = rest.toString('utf8', head.end, head.end + head.length);
        rest = rest.subarray(head.end + head.length);
        hear(jsonSchema.parse(JSON.parse(text)));
      }
    } catch {
      // Nobody else than debugpy speaks so; the editor hears that the connection has ended.
      socket.destroy();
    }
  });
}

/** Null: it is not there yet. Throws where it is none. */
function headOf(bytes: Buffer): { readonly length: number; readonly end: number } | null {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0 && bytes.byteLength <= MOST_HEAD) return null;
  const length = /^Content-Length: *(\d+)$/im.exec(bytes.toString('latin1', 0, Math.min(MOST_HEAD, end)))?.[1];
  if (length === undefined || Number(length) > MOST_BYTES) throw new Error('This is no message of the protocol.');
  return { length: Number(length), end: end + HEAD_END.length };
}

function framed(message: Json): string {
  const text = JSON.stringify(message);
  return `Content-Length: ${Buffer.byteLength(text)}${HEAD_END}${text}`;
}

const nothing: Answerer = async ({ ask }) => {
  throw new Error(`${ask} can be asked while a function runs`);
};
