import { open, Session, url } from 'node:inspector';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import type { UserCaller } from '../functions/evaluate.ts';
import type { Range } from '../tasks/range.ts';

/** What Node prints of its inspector: that it listens, at a secret address, and who comes and goes. */
export const INSPECTOR_WORDS =
  /^(?:Debugger (?:listening on|attached|ending on)|For help, see: https:\/\/nodejs\.org\/|Waiting for the debugger to disconnect)/;

/** This process, open to a debugger of JavaScript on its loopback. */
export class Inspection {
  /** On the loopback of this machine. */
  readonly port: number;
  readonly #address: string;

  /** `file`: the task file, from which functions seem to be called. */
  constructor(file: string) {
    if (url() === undefined) open(0, '127.0.0.1');
    this.port = Number(new URL(url() ?? '').port);
    this.#address = pathToFileURL(file).href;
  }

  /**
   * Calls functions of a person's from the place of the call in the task file: a debugger that steps beyond their end
   * is there, and not in what stands behind the file. `pause`: a debugger that is attached stops on their first line.
   */
  callerAt({ start }: Range, pause: boolean): UserCaller {
    const boundary = new Script('(async (call, context, args) => await call(context, ...args))', {
      filename: this.#address,
      lineOffset: start.line,
      columnOffset: start.character,
    }).runInThisContext() as (...all: [...Parameters<UserCaller>]) => Promise<unknown>;
    return (run, context, args) => {
      const enter = () => boundary(run, context, args);
      return pause ? stoppingIn(run, enter) : enter();
    };
  }
}

const STOPPED_IN = Symbol.for('taskwright.stopped-in');

/** Stops whichever debugger is attached when the function is entered. Without one nothing stops. */
function stoppingIn<T>(run: unknown, enter: () => T): T {
  const session = new Session();
  session.connect();
  const holder = globalThis as { [STOPPED_IN]?: unknown };
  holder[STOPPED_IN] = run;
  let objectId: string | undefined;
  let breakpointId: string | undefined;
  try {
    // Within one process each is answered before the next line.
    session.post('Debugger.enable');
    session.post('Debugger.setBlackboxPatterns', { patterns: ['.*'] });
    const expression = `globalThis[Symbol.for('${STOPPED_IN.description}')]`;
    session.post('Runtime.evaluate', { expression }, (_error, answer) => {
      objectId = answer?.result.objectId;
    });
    if (objectId !== undefined) {
      // Stable enough to be in every Node since 10, but not in the types.
      const set = 'Debugger.setBreakpointOnFunctionCall' as 'Debugger.setBreakpoint';
      session.post(set, { objectId } as never, (_error, answer) => {
        breakpointId = answer?.breakpointId;
      });
    }
    return enter();
  } finally {
    delete holder[STOPPED_IN];
    if (breakpointId !== undefined) session.post('Debugger.removeBreakpoint', { breakpointId });
    session.disconnect();
  }
}
