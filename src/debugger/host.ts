import type { Placement } from '../placement/placement.ts';
import type { DebuggedPython, RunDebugger } from '../runs/run/debugging.ts';
import type { RunListener } from '../runs/run/events.ts';
import type { RunRecord } from '../runs/store/trace.ts';
import type { PlacementKind } from '../tasks/placement-kind.ts';
import type { TaskFile } from '../tasks/rows.ts';
import type { Json, Task } from '../tasks/task.ts';

/** A live run that is asked for. */
export interface DebugRunRequest {
  readonly task: Task;
  /** As the command line has it; undefined: the task's solution. */
  readonly agent: string | undefined;
  readonly placement: PlacementKind | undefined;
  readonly seed: number;
  readonly debugger: RunDebugger;
  readonly listen: RunListener;
  readonly signal: AbortSignal;
}

/** A debugger of another language beside this one, for the functions of a person's in it. */
export interface ChildDebugger<StopLocation> {
  /** The person has set a breakpoint in a file of the language. */
  wanted(): boolean;
  /**
   * Attaches it where it is not attached yet. Resolves when its breakpoints are set and the editor is ready to show where
   * it stops; rejects with an `Error` in words. `left`: the person has stepped out of a function.
   */
  attach(location: StopLocation, left: () => void): Promise<void>;
  /** Resolves when the editor is ready to show another debugger's stop. */
  settled(): Promise<void>;
}

/** The debuggers that an editor has for a person's functions. */
export interface FunctionDebuggers {
  readonly scripts: ChildDebugger<ScriptTarget>;
  readonly python: ChildDebugger<PythonTarget>;
}

/** Where a person's functions in JavaScript run. */
export interface ScriptTarget {
  /** The inspector's, on this machine's loopback. */
  readonly port: number;
  /** The task's folder as it is named there. */
  readonly folder: string;
  readonly taskFile: string;
}

/** Where a person's functions in Python run. */
export interface PythonTarget {
  /** Opens the session's Python, for the function that is about to be called. */
  open(listen: (message: Json) => void): Promise<DebuggedPython>;
  /** The function's file on this machine. */
  readonly file: string;
  /** It is to stop on the function's first line. */
  readonly enter: boolean;
  readonly taskFile: string;
}

/** What the debugger stands in: an editor, or a terminal. */
export interface DebugHost {
  /** Where relative paths of a configuration start. */
  readonly cwd: string;
  /** The task at `file#id` or `file#index`. Rejects with `DebugError`: there is none, or it cannot run. */
  find(address: string): Promise<Task>;
  /** A task file as it is now, with what an editor has not saved yet. */
  read(path: string): Promise<TaskFile>;
  /** Where evaluate calls are asked of recorded pages: on this machine. */
  judging(): Promise<Placement>;
  /** None where this editor has none: then a call is stepped over. */
  readonly debuggers?: FunctionDebuggers | undefined;
  /** Rejects with `DebugError` where it cannot begin; what the task does is in the record. */
  run(wish: DebugRunRequest): Promise<RunRecord>;
}
