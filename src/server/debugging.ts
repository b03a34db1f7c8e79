import { url } from 'node:inspector';
import { basename, join, relative } from 'node:path';
import type { Page } from 'playwright-core';
import type { Json } from '../base/json.ts';
import type { Range } from '../base/range.ts';
import type { UserCaller } from '../functions/evaluate.ts';
import type { PythonDebugging } from '../functions/user/python/debugging.ts';
import { calledAt, debugPython, debugTaskClass } from '../functions/user/python/functions.ts';
import type { PageQuery } from './browser-thread.ts';
import { RequestFailure } from './failure.ts';
import { Inspection } from './inspection.ts';
import { installStoppedConsole } from './stopped-console.ts';

/** The debuggers that are attached to the process of a session. */
export class SessionDebugging {
  #inspection: Inspection | null = null;
  #python: PythonDebugging | null = null;

  /** Whether a debugger may be attached. A stop in a function can last any time. */
  get open(): boolean {
    return this.#inspection !== null || this.#python !== null || url() !== undefined;
  }

  /**
   * Opens the process to a JavaScript debugger. `file`: name of the task file in its folder; `page`: of the task, if there is
   * one; `ask`: queries it while the debugger stops this thread.
   */
  inspect(folder: string, file: string, page: () => Page | undefined, ask: (query: PageQuery) => Json) {
    installStoppedConsole(page, ask);
    this.#inspection ??= new Inspection(join(folder, basename(file)));
    return { port: this.#inspection.port };
  }

  /** Opens the Python process to debugpy for a function, or for a task class if `name` is null. `listen` receives its messages. */
  async debugPython(folder: string, file: string, name: string | null, listen: (message: Json) => void) {
    try {
      const taskFile = join(folder, basename(file));
      if (name === null) {
        this.#python = await debugTaskClass(folder, taskFile, listen);
        return { entry: null, programs: this.#python.programs };
      }
      const { file: path, line, debugging } = await debugPython(folder, name, taskFile, listen);
      this.#python = debugging;
      return { entry: { file: relative(folder, path), line }, programs: debugging.programs };
    } catch (error) {
      throw new RequestFailure('not_debugged', (error as Error).message);
    }
  }

  toPython(message: Json): void {
    if (this.#python === null)
      throw new RequestFailure('not_debugged', 'No debugger is attached to Python in this session.');
    this.#python.send(message);
  }

  /** How to call user-defined functions so that their caller appears to be the call in the task file. */
  callerAt(range: Range, pause: boolean): UserCaller | undefined {
    const inspectedCaller = this.#inspection?.callerAt(range, pause);
    if (this.#python === null) return inspectedCaller;
    return (run, context, args) =>
      calledAt(range.start.line, () =>
        inspectedCaller === undefined ? run(context, ...args) : inspectedCaller(run, context, args),
      );
  }
}
