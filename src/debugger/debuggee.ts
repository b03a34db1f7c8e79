import type { PageLink } from '../functions/page/questions.ts';
import type { Range } from '../tasks/range.ts';
import type { Json } from '../tasks/task.ts';
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
  /** What went wrong, where that is why it stopped. */
  readonly text: string | null;
  readonly breakpoints: readonly number[];
}

/** What one is told of what is debugged. */
export interface DebuggeeEvents {
  stopped(stop: Stop): void;
  /** `place`: where it was said, for a link. */
  output(category: 'console' | 'stdout' | 'stderr', text: string, location?: OutputLocation): void;
  ended(): void;
}

export interface OutputLocation {
  readonly file: string;
  readonly range: Range;
}

/** How to go on from a stop. `into`: into the person's function that the call names, else as `next`. `out`: to the next phase: from setup to the agent, from there to evaluate, then to the end. */
export type Resume = 'continue' | 'next' | 'into' | 'out' | 'back' | 'reverse';

/** What the console, a hover or a watch is answered. */
export interface Answer {
  readonly text: string;
  readonly value: unknown;
}

/** A run that is debugged, live or recorded. */
export interface Debuggee {
  /** A recorded one can go back; a live one can be paused, changed and asked. */
  readonly kind: 'live' | 'replay';
  /** Where it stands; null while it goes on. */
  readonly state: StoppedState | null;
  start(): void;
  /** Whether it can go on that way. */
  supports(how: Resume): boolean;
  resume(how: Resume): void;
  pause(): void;
  /** Evaluates the call that it stands at again, with its arguments as the task file has them now. Rejects with words. */
  restartFrame(): Promise<void>;
  /** Goes to a recorded step, from wherever it is. Throws words. */
  goTo(step: number): void;
  /** `aside`: asked by a hover or a watch, so that nothing of a person's may run. Rejects with words. */
  ask(expression: string, passive: boolean): Promise<Answer>;
  /** Asks the page as it is here something that changes nothing of it. Rejects with words. */
  queryPage(links: readonly PageLink[]): Promise<Json>;
  /** Throws words. */
  setResponse(text: string): string;
  /** Throws words. */
  setArgument(index: number, text: string): unknown;
  /** Ends it. Resolves when nothing of it is left. */
  end(): Promise<void>;
}

/** Something the person asked for that cannot be, in words. */
export class DebugError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DebugError';
  }
}
