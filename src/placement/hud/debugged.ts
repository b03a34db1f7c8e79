import type { Socket } from 'node:net';
import { awaitDebugpy, sendTo } from '../../functions/user/python/debugging.ts';
import type { Json } from '../../tasks/task.ts';
import type { AttachedPython } from '../placement.ts';

/** What the program below prints if it cannot be debugged. */
const NO_DEBUGPY = 'Breakpoints are ignored: debugpy is not installed';

/** Runs HUD's server in a process that connects to a debugger and waits for it. */
const PROGRAM = `
import importlib.util, os, runpy, sys
secret = os.environ.pop("TASKWRIGHT_DEBUGPY_SECRET")
port = int(sys.argv.pop(1))
if importlib.util.find_spec("debugpy") is None:
    print("${NO_DEBUGPY}", flush=True)
else:
    os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    import debugpy
    debugpy.configure(subProcess=False)
    debugpy.connect(("127.0.0.1", port), access_token=secret)
runpy.run_module("hud.environment.server", run_name="__main__", alter_sys=True)
`;

/** How to start HUD's server so that a debugger can be attached to it. */
export interface DebuggedServer {
  /** Arguments of Python, in place of the name of the module. */
  readonly args: readonly string[];
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
    args: ['-c', PROGRAM, String(port)],
    env: { TASKWRIGHT_DEBUGPY_SECRET: secret },
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
