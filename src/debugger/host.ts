import type { Json } from '../base/json.ts';
import type { Placement } from '../placement/placement.ts';
import type { RunListener } from '../runs/events.ts';
import type { PythonConnection, RunDebugger } from '../runs/run/debugging.ts';
import type { PlacementKind } from '../tasks/placement-kind.ts';
import type { TaskFile } from '../tasks/rows.ts';
import type { Task } from '../tasks/task.ts';
import type { RunRecord } from '../traces/trace.ts';

/** Options for a live run. */
export interface DebugRunRequest {
  readonly task: Task;
  /** An agent specification as on the command line; undefined for the solution of the task. */
  readonly agent: string | undefined;
  readonly placement: PlacementKind | undefined;
  readonly seed: number;
  readonly debugger: RunDebugger;
  readonly listen: RunListener;
  readonly signal: AbortSignal;
}

/** Notifications from a child debugger. */
export interface ChildEvents {
  /** The user has stepped out of a function. */
  steppedOut(): void;
  /** The user has changed a value. */
  edited(): void;
}

/** A debugger for user-defined functions in another language that runs beside this one. */
export interface ChildDebugger<Target> {
  /** Whether the user has set a breakpoint in a file of this language. */
  hasBreakpoints(): boolean;
  /**
   * Attaches the debugger unless it is attached. Resolves when its breakpoints are set and the editor can show its
   * stops; rejects with an `Error` whose message is for the user.
   */
  attach(target: Target, events: ChildEvents): Promise<void>;
  /** Pauses the function that is running. Attach the debugger first. */
  pause(): Promise<void>;
  /** Whether it is stopped in a function. */
  readonly isPaused: boolean;
  /** Resolves when the editor can show another debugger's stop. */
  whenSettled(): Promise<void>;
}

/** Debuggers for user-defined functions that an editor provides. */
export interface FunctionDebuggers {
  readonly scripts: ChildDebugger<ScriptTarget>;
  readonly python: ChildDebugger<PythonTarget>;
}

/** Where user-defined functions in JavaScript run. */
export interface ScriptTarget {
  /** Port of the inspector, on the loopback interface of this machine. */
  readonly port: number;
  /** Path of the task's folder in that process. */
  readonly folder: string;
  readonly taskFile: string;
}

/** Where user-defined functions in Python run. */
export interface PythonTarget {
  /** Connects to debugpy in the session's Python process. */
  open(listen: (message: Json) => void): Promise<PythonConnection>;
  /** Path on this machine of the file of the function on whose first line to stop; null to stop only at breakpoints. */
  readonly file: string | null;
  /** The file that appears as the caller of functions; null if none does. */
  readonly taskFile: string | null;
}

/** What the debugger needs from its host, an editor or the command line. */
export interface DebugHost {
  /** Base of relative paths in a launch configuration. */
  readonly cwd: string;
  /** Finds the task at `file#id` or `file#index`. Rejects with `DebugError` if there is none or it cannot run. */
  find(address: string): Promise<Task>;
  /** Reads a task file, including unsaved changes in an editor. */
  read(path: string): Promise<TaskFile>;
  /** The seed of a run whose launch configuration names none. */
  defaultSeed(task: Task): number;
  /** The placement in which evaluate calls run against recorded pages. */
  judging(): Promise<Placement>;
  /** Absent if the host has none; calls of user-defined functions are then stepped over. */
  readonly debuggers?: FunctionDebuggers | undefined;
  /** Runs a task. Rejects with `DebugError` if the run cannot start; failures of the run itself are in the record. */
  run(request: DebugRunRequest): Promise<RunRecord>;
}
