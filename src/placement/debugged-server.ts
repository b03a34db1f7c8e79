import type { Socket } from 'node:net';
import type { Json } from '../base/json.ts';
import { awaitDebugpy, sendTo } from '../functions/user/python/debugging.ts';
import type { AttachedPython } from './placement.ts';

/** What the lines below print if the server cannot be debugged. */
const NO_DEBUGPY = 'Breakpoints are ignored: debugpy is not installed';

/**
 * Lines of a Python program, after the imports `importlib.util` and `os`. With the port and the secret of a debugger in its
 * environment, the process connects to that first, and waits for it.
 */
export const CONNECT_DEBUGGER = `
debugger = os.environ.pop("TASKWRIGHT_DEBUGPY", None)
if debugger is not None:
    if importlib.util.find_spec("debugpy") is None:
        print("${NO_DEBUGPY}", flush=True)
    else:
        os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")
        import debugpy
        port, token = debugger.split(" ")
        debugpy.configure(subProcess=False)
        debugpy.connect(("127.0.0.1", int(port)), access_token=token)
`;

/** How to start the server of an environment, with `CONNECT_DEBUGGER`, so that a debugger can be attached to it. */
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
  const { port, secret, connection, close } = await awaitDebugpy((message) => receive(message));
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
      const socket: Socket = await Promise.race([connection, missing.promise]);
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
