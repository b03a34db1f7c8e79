import type { Json } from '../base/json.ts';
import type { Range } from '../base/range.ts';
import type { PageLink } from '../functions/page/page-link.ts';
import type { StoppedState } from './stopped-state.ts';

export type StopReason =
  | 'entry'
  | 'step'
  | 'pause'
  | 'breakpoint'
  | 'function breakpoint'
  | 'exception'
  | 'restart'
  | 'goto';

export interface Stop {
  readonly reason: StopReason;
  /** Why the run stopped, such as an error or `0.5 → 1 at step 3`. */
  readonly text: string | null;
  readonly breakpoints: readonly number[];
}

/** Notifications from a debuggee to its session. */
export interface DebuggeeEvents {
  stopped(stop: Stop): void;
  /** `location`: the source of the output, shown as a link. */
  output(category: 'console' | 'stdout' | 'stderr', text: string, location?: OutputLocation): void;
  ended(): void;
}

export interface OutputLocation {
  readonly file: string;
  readonly range: Range;
}

/**
 * How to resume from a stop. `into`: into the user-defined function that the call names, else like `next`. `out`: to
 * the next phase, from setup to the agent, from there to evaluate, then to the end.
 */
export type Resume = 'continue' | 'next' | 'into' | 'out' | 'back' | 'reverse';

/** The result of an expression in the debug console, a hover, or a watch. */
export interface Answer {
  readonly text: string;
  readonly value: unknown;
}

/** A debugged run, live or recorded. */
export interface Debuggee {
  /** A recorded run can go back; a live run can be paused and changed. */
  readonly kind: 'live' | 'replay';
  /** The state at the current stop; null while the run is running. */
  readonly state: StoppedState | null;
  start(): void;
  /** Whether it can be resumed this way. */
  supports(action: Resume): boolean;
  resume(action: Resume): void;
  pause(): void;
  /** Evaluates the current call again with its arguments from the current task file. Rejects with `DebugError`. */
  restartFrame(): Promise<void>;
  /** Goes to a recorded step. Throws `DebugError`. */
  goTo(step: number): void;
  /** `passive`: requested by a hover or a watch, so it must not run user-defined functions. Rejects with `DebugError`. */
  ask(expression: string, passive: boolean): Promise<Answer>;
  /** Reads from the page as it is at the stop, without changing it. Rejects with `ExpressionError`. */
  queryPage(links: readonly PageLink[]): Promise<Json>;
  /** Throws `DebugError`. */
  setResponse(text: string): string;
  /** Throws `DebugError`. */
  setArgument(index: number, text: string): unknown;
  /** Ends the run. Resolves when everything of it has ended. */
  end(): Promise<void>;
}

/** A request of the user that cannot be carried out. The message is shown to the user. */
export class DebugError extends Error {
  override readonly name = 'DebugError';
}
