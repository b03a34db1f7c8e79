import type { Socket } from 'node:net';
import { awaitDebugpy, sendTo } from '../../functions/user/python/debugging.ts';
import type { Json } from '../../tasks/task.ts';
import type { AttachedPython } from '../placement.ts';
import { NO_DEBUGPY } from './server-program.ts';

/** How to start HUD's server so that a debugger can be attached to it. */
export interface DebuggedServer {
  readonly env: Readonly<Record<string, string>>;
  /** Receives each line of its output. */
  onLine(line: string): void;
  /** As in `AttachPython`. */
  open(listen: (message: Json) => void): Promise<AttachedPython>;
  close(): void;
}

/** @param program the interpreter */
export async function debuggedServer(program: string): Promise<DebuggedServer> {
  let receive: (message: Json) => void = () => {};
  const { port, secret, connected, close } = await awaitDebugpy((message) => receive(message));
  const missing = Promise.withResolvers<never>();
  // Nobody may wait for it.
  missing.promise.catch(() => undefined);
  return {
    env: { TASKWRIGHT_DEBUGPY: `${port} ${secret}` },
    onLine: (line) => {
      if (line.startsWith(NO_DEBUGPY))
        missing.reject(new Error(`${program} does not have the package debugpy: pip install debugpy`));
    },
    async open(listen) {
      receive = listen;
      const socket: Socket = await Promise.race([connected, missing.promise]);
      return {
        send: async (message) => {
          if (socket.destroyed) throw new Error('debugpy has ended.');
          sendTo(socket, message);
        },
      };
    },
    close,
  };
}
