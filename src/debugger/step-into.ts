import { basename, dirname } from 'node:path';
import { isPythonClass } from '../functions/user/custom-tasks.ts';
import { pythonFileOf } from '../functions/user/python/defines.ts';
import type { AttachPython } from '../placement/placement.ts';
import type { DebuggedSession, InspectorTarget, UnresetSession } from '../runs/run/debugging.ts';
import type { ChildEvents, FunctionDebuggers, PythonTarget } from './host.ts';

/** How to make a call so that its user-defined function can be debugged. */
export interface Entry {
  /** Whether a debugger stops in the function; the run then also stops after the call. */
  readonly entered: boolean;
  /** Whether the session requests the stop; otherwise the debugger has set a breakpoint. */
  readonly pause: boolean;
}

/** The name of a task class in messages. */
const CLASS = 'The class of the task';
const ENVIRONMENT = 'The code of the environment';

type Print = (category: 'console' | 'stderr', text: string) => void;

const PASSED: Entry = { entered: false, pause: false };

/** Attaches the debuggers of other languages to the user-defined functions of a debugged run. */
export class StepInto {
  readonly #debuggers: FunctionDebuggers | undefined;
  readonly #taskFile: string;
  readonly #print: Print;
  readonly #events: ChildEvents;
  #inspector: Promise<InspectorTarget> | null = null;
  #isPythonClass: Promise<boolean> | null = null;

  /** `events`: from the debuggers. */
  constructor(debuggers: FunctionDebuggers | undefined, taskFile: string, print: Print, events: ChildEvents) {
    this.#debuggers = debuggers;
    this.#taskFile = taskFile;
    this.#print = print;
    this.#events = events;
  }

  /** Prepares the call of a function. `into`: step into it; otherwise stop only at breakpoints in it. */
  async before(session: DebuggedSession, name: string, into: boolean): Promise<Entry> {
    const file = await pythonFileOf(dirname(this.#taskFile), name);
    return file === null ? await this.#script(session, name, into) : await this.#python(session, name, file, into);
  }

  /**
   * Prepares the reset or an action of a task with a class of the user's, whose methods run as part of it: stops at
   * breakpoints in it.
   */
  async taskClass(session: UnresetSession, name: string): Promise<void> {
    const python = this.#debuggers?.python;
    this.#isPythonClass ??= isPythonClass(dirname(this.#taskFile), name);
    if (python?.hasBreakpoints() !== true || !(await this.#isPythonClass)) {
      await this.#script(session, CLASS, false);
      return;
    }
    await this.#attach(CLASS, false, async () => {
      const open: PythonTarget['open'] = (listen) => session.debugPython(null, listen);
      await python.attach({ open, file: null, taskFile: this.#taskFile }, this.#events);
      return PASSED;
    });
  }

  /**
   * Attaches to the Python code of an environment while it starts; undefined if there is no breakpoint in Python, or if no
   * debugger reaches it.
   */
  environment(isInContainer: boolean): AttachPython | undefined {
    const python = this.#debuggers?.python;
    if (python?.hasBreakpoints() !== true) return undefined;
    if (isInContainer) {
      const next = 'To stop in it, run it on this machine.';
      this.#print('console', `${ENVIRONMENT} runs in a container, so breakpoints in Python do not stop in it. ${next}`);
      return undefined;
    }
    const folder = dirname(this.#taskFile);
    return async (open) => {
      const target: PythonTarget = {
        open: async (listen) => ({ folder, entry: null, programs: [], ...(await open(listen)) }),
        file: null,
        taskFile: null,
      };
      await this.#attach(ENVIRONMENT, false, async () => {
        await python.attach(target, this.#events);
        return PASSED;
      });
    };
  }

  /** `description`: the name of the user's code in messages. */
  async #script(session: UnresetSession, description: string, into: boolean): Promise<Entry> {
    const scripts = this.#debuggers?.scripts;
    if (scripts === undefined || (!into && !scripts.hasBreakpoints())) return PASSED;
    return await this.#attach(description, into, async () => {
      this.#inspector ??= session.inspect();
      const { port, folder } = await this.#inspector;
      await scripts.attach({ port, folder, taskFile: this.#taskFile }, this.#events);
      return { entered: into, pause: into };
    });
  }

  async #python(session: DebuggedSession, name: string, file: string, into: boolean): Promise<Entry> {
    const python = this.#debuggers?.python;
    if (python === undefined) {
      if (into) this.#print('console', `${name} is a Python function (${basename(file)}) and is stepped over.`);
      return PASSED;
    }
    if (!into && !python.hasBreakpoints()) return PASSED;
    return await this.#attach(name, into, async () => {
      const open: PythonTarget['open'] = (listen) => session.debugPython(name, listen);
      await python.attach({ open, file: into ? file : null, taskFile: this.#taskFile }, this.#events);
      return { entered: into, pause: false };
    });
  }

  async #attach(description: string, into: boolean, attach: () => Promise<Entry>): Promise<Entry> {
    try {
      return await attach();
    } catch (error) {
      const cannot = into ? 'cannot be stepped into' : 'cannot be stopped in';
      this.#print('stderr', `${description} ${cannot}: ${(error as Error).message}`);
      return PASSED;
    }
  }

  /** Whether the process of the session is stopped in a function, and cannot respond. */
  get isPaused(): boolean {
    return this.#debuggers?.scripts.isPaused === true;
  }

  /**
   * Pauses in a user-defined function that is running. If that is not possible, prints when the run will pause, and resolves
   * with false.
   */
  async pause(session: DebuggedSession, name: string): Promise<boolean> {
    const scripts = this.#debuggers?.scripts;
    const isPython = (await pythonFileOf(dirname(this.#taskFile), name)) !== null;
    const hint = `The run pauses when ${name} returns.`;
    if (scripts === undefined || isPython) {
      this.#print('console', isPython ? `${hint} To stop in a Python function, set a breakpoint in it.` : hint);
      return false;
    }
    try {
      // Not stored: the next call opens the session again, when it can respond.
      const { port, folder } = await session.inspect();
      await scripts.attach({ port, folder, taskFile: this.#taskFile }, this.#events);
      await scripts.pause();
      return true;
    } catch (error) {
      this.#print('stderr', `${name} cannot be paused: ${(error as Error).message} ${hint}`);
      return false;
    }
  }

  /** Resolves when the editor can show another debugger's stop. */
  async whenSettled(): Promise<void> {
    await this.#debuggers?.scripts.whenSettled();
    await this.#debuggers?.python.whenSettled();
  }
}
