import { basename, join, relative } from 'node:path';
import type { UserCaller } from '../functions/evaluate.ts';
import type { PythonDebugging } from '../functions/user/python/debugging.ts';
import { calledAt, debugPython } from '../functions/user/python/functions.ts';
import type { Range } from '../tasks/range.ts';
import type { Json } from '../tasks/task.ts';
import { RequestFailure } from './failure.ts';
import { Inspection } from './inspection.ts';
import type { Results } from './protocol.ts';

/** What is open of a session's process to debuggers of a person's functions. */
export class SessionDebugging {
  #inspection: Inspection | null = null;
  #python: PythonDebugging | null = null;

  /** A person may stand in a function for as long as they like. */
  get open(): boolean {
    return this.#inspection !== null || this.#python !== null;
  }

  /** Opens the process to a debugger of JavaScript. `file`: name of the task's file in its folder. */
  inspect(folder: string, file: string): Results['session.inspect'] {
    this.#inspection ??= new Inspection(join(folder, basename(file)));
    return { port: this.#inspection.port };
  }

  /** Opens its Python for a function; `listen` hears what debugpy says. */
  async debugPython(
    folder: string,
    file: string,
    name: string,
    listen: (message: Json) => void,
  ): Promise<Results['session.debugPython']> {
    try {
      const entry = await debugPython(folder, name, join(folder, basename(file)), listen);
      this.#python = entry.debugging;
      return { file: relative(folder, entry.file), line: entry.line, program: entry.debugging.program };
    } catch (error) {
      throw new RequestFailure('not_debugged', (error as Error).message);
    }
  }

  toPython(message: Json): void {
    if (this.#python === null) throw new RequestFailure('not_debugged', 'Nobody debugs Python in this session.');
    this.#python.send(message);
  }

  /** How functions are called so that a debugger sees them called from their place in the task file. */
  callerAt(range: Range, pause: boolean): UserCaller | undefined {
    const inspected = this.#inspection?.callerAt(range, pause);
    if (this.#python === null) return inspected;
    return (run, context, args) =>
      calledAt(range.start.line, () =>
        inspected === undefined ? run(context, ...args) : inspected(run, context, args),
      );
  }
}
