import { open, Session, url } from 'node:inspector';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import type { Range } from '../base/range.ts';
import type { UserCaller } from '../functions/evaluate.ts';

/** What Node prints about its inspector, including its secret address. */
export const INSPECTOR_OUTPUT =
  /^(?:Debugger (?:listening on|attached|ending on)|For help, see: https:\/\/nodejs\.org\/|Waiting for the debugger to disconnect)/;

/** Opens this process to a JavaScript debugger on the loopback interface. */
export class Inspection {
  /** On the loopback interface of this machine. */
  readonly port: number;
  readonly #address: string;

  /** `file`: the task file, which appears as the caller of functions. */
  constructor(file: string) {
    if (url() === undefined) open(0, '127.0.0.1');
    this.port = Number(new URL(url() ?? '').port);
    this.#address = pathToFileURL(file).href;
  }

  /**
   * Calls user-defined functions from a script with the name and position of the call in the task file, so that
   * stepping out of a function leads there. `pause`: an attached debugger stops on the first line of the function.
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

/** Makes an attached debugger stop when the function is entered. */
function stoppingIn<T>(run: unknown, enter: () => T): T {
  const session = new Session();
  session.connect();
  const holder = globalThis as { [STOPPED_IN]?: unknown };
  holder[STOPPED_IN] = run;
  let objectId: string | undefined;
  let breakpointId: string | undefined;
  try {
    // Within one process these requests are synchronous.
    session.post('Debugger.enable');
    session.post('Debugger.setBlackboxPatterns', { patterns: ['.*'] });
    const expression = `globalThis[Symbol.for('${STOPPED_IN.description}')]`;
    session.post('Runtime.evaluate', { expression }, (_error, answer) => {
      objectId = answer?.result.objectId;
    });
    if (objectId !== undefined) {
      // Part of V8 since Node 10, but not declared in the types of the inspector module.
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
