import { basename, dirname } from 'node:path';
import { pythonFileOf } from '../functions/user/python/defines.ts';
import type { DebuggedSession, Inspected } from '../runs/run/debugging.ts';
import type { FunctionDebuggers } from './host.ts';

/** How a call of a person's function is made so that it can be stepped into. */
export interface Entry {
  /** A debugger is to stop in the function, and the run behind the call. */
  readonly entered: boolean;
  /** The session is to stop it there; else its debugger does. */
  readonly pause: boolean;
}

const PASSED: Entry = { entered: false, pause: false };

/** The functions of a person's in a run that is debugged: other debuggers stop in them. */
export class StepInto {
  readonly #debuggers: FunctionDebuggers | undefined;
  readonly #taskFile: string;
  readonly #print: (category: 'console' | 'stderr', text: string) => void;
  readonly #left: () => void;
  #inspected: Promise<Inspected> | null = null;

  /** `left`: the person has stepped out of a function. */
  constructor(
    debuggers: FunctionDebuggers | undefined,
    taskFile: string,
    say: (category: 'console' | 'stderr', text: string) => void,
    left: () => void,
  ) {
    this.#debuggers = debuggers;
    this.#taskFile = taskFile;
    this.#print = say;
    this.#left = left;
  }

  /** Before a function is called. `into`: the person wants to enter it; else breakpoints in it stop. */
  async before(session: DebuggedSession, name: string, into: boolean): Promise<Entry> {
    const file = await pythonFileOf(dirname(this.#taskFile), name);
    return file === null ? await this.script(session, name, into) : await this.#python(session, name, file, into);
  }

  /** The same for code of a person's in JavaScript. `what`: for messages. */
  async script(session: DebuggedSession, what: string, into: boolean): Promise<Entry> {
    const scripts = this.#debuggers?.scripts;
    if (scripts === undefined || (!into && !scripts.wanted())) return PASSED;
    return await this.#attach(what, into, async () => {
      this.#inspected ??= session.inspect();
      const { port, folder } = await this.#inspected;
      await scripts.attach({ port, folder, taskFile: this.#taskFile }, this.#left);
      return { entered: into, pause: into };
    });
  }

  async #python(session: DebuggedSession, name: string, file: string, into: boolean): Promise<Entry> {
    const python = this.#debuggers?.python;
    if (python === undefined) {
      if (into) this.#print('console', `${name} is in Python (${basename(file)}), which is stepped over.`);
      return PASSED;
    }
    if (!into && !python.wanted()) return PASSED;
    return await this.#attach(name, into, async () => {
      const open: Parameters<typeof python.attach>[0]['open'] = (listen) => session.debugPython(name, listen);
      await python.attach({ open, file, enter: into, taskFile: this.#taskFile }, this.#left);
      return { entered: into, pause: false };
    });
  }

  async #attach(what: string, into: boolean, attach: () => Promise<Entry>): Promise<Entry> {
    try {
      return await attach();
    } catch (error) {
      const cannot = into ? 'cannot be stepped into' : 'cannot be stopped in';
      this.#print('stderr', `${what} ${cannot}: ${(error as Error).message}`);
      return PASSED;
    }
  }

  /** Resolves when the editor is ready to show another debugger's stop. */
  async settled(): Promise<void> {
    await this.#debuggers?.scripts.settled();
    await this.#debuggers?.python.settled();
  }
}
