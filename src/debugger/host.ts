import type { Placement } from '../placement/placement.ts';
import type { RunDebugger } from '../runs/debugging.ts';
import type { RunListener } from '../runs/events.ts';
import type { RunRecord } from '../runs/trace.ts';
import type { PlacementKind } from '../tasks/placement-kind.ts';
import type { TaskFile } from '../tasks/rows.ts';
import type { Task } from '../tasks/task.ts';

/** A live run that is asked for. */
export interface RunWish {
  readonly task: Task;
  /** As the command line has it; undefined: the task's solution. */
  readonly agent: string | undefined;
  readonly placement: PlacementKind | undefined;
  readonly seed: number;
  readonly debugger: RunDebugger;
  readonly listen: RunListener;
  readonly signal: AbortSignal;
}

/** A debugger of JavaScript beside this one, for the functions of a person's. */
export interface ScriptDebugger {
  /** The person has set a breakpoint in a script. */
  wanted(): boolean;
  /**
   * Attaches it where it is not attached yet. Resolves when its breakpoints are set and the editor is ready to show where
   * it stops; rejects with `DebugError`. `left`: the person has stepped out of a function.
   */
  attach(place: ScriptPlace, left: () => void): Promise<void>;
  /** Resolves when the editor is ready to show another debugger's stop. */
  settled(): Promise<void>;
}

/** Where a person's functions run. */
export interface ScriptPlace {
  /** The inspector's, on this machine's loopback. */
  readonly port: number;
  /** The task's folder as it is named there. */
  readonly folder: string;
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
  readonly scripts?: ScriptDebugger | undefined;
  /** Rejects with `DebugError` where it cannot begin; what the task does is in the record. */
  run(wish: RunWish): Promise<RunRecord>;
}
