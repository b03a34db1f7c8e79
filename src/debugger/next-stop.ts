import type { RunningCall } from '../runs/run/debugging.ts';
import type { CallOutcome } from '../server/protocol.ts';
import { type ActiveBreakpoint, type Breakpoints, type ExceptionFilter, TIMEOUT } from './breakpoints.ts';
import { conditionHolds, hitBreakpoints } from './conditions.ts';
import type { DebuggeeEvents, OutputLocation, Stop } from './debuggee.ts';
import type { ExpressionScope } from './expression.ts';
import { outcomeOf } from './stopped-state.ts';

/** Where the run stops next: at a breakpoint (`continue`), at the next call or action, or at the next phase. */
export type StopMode = 'continue' | 'next' | 'out' | 'pause' | 'entry';

/** The location of the decision: the names for conditions and messages, and where their output goes. */
interface CurrentLocation {
  scope(): ExpressionScope;
  output: DebuggeeEvents['output'];
  source(): OutputLocation | undefined;
}

/** Decides where a live run stops: by its breakpoints, and by how it was resumed. */
export class NextStop {
  readonly #breakpoints: Breakpoints;
  readonly #at: CurrentLocation;
  #mode: StopMode;
  /** The phase that *Step Out* leaves. */
  #phaseToLeave = '';
  /**
   * Set if the run stops after the current call: because it was evaluated again, or because its function was stepped
   * into.
   */
  afterThisCall: 'restart' | 'step' | null = null;

  constructor(breakpoints: Breakpoints, mode: StopMode, at: CurrentLocation) {
    this.#breakpoints = breakpoints;
    this.#mode = mode;
    this.#at = at;
  }

  /** The run continues from a location in this phase. */
  resume(mode: StopMode, phase: string): void {
    this.#mode = mode;
    this.#phaseToLeave = phase;
  }

  /** The run stops at the next location. */
  pause(): void {
    this.#mode = 'pause';
  }

  /** The run has stopped elsewhere, so it does not stop at the next location. */
  cancelPause(): void {
    if (this.#mode === 'pause') this.#mode = 'continue';
  }

  /** The reason to stop before the next call or action; null to continue. */
  async beforeLocation(
    candidates: readonly ActiveBreakpoint[],
    reason: 'breakpoint' | 'function breakpoint',
    phase: string,
  ): Promise<Stop | null> {
    const { scope, output, source } = this.#at;
    const hit = candidates.length === 0 ? [] : await hitBreakpoints(candidates, scope(), output, source());
    if (hit.length > 0) return { reason, text: null, breakpoints: hit.map(({ id }) => id) };
    const mode = this.#mode;
    if (mode === 'continue' || (mode === 'out' && phase === this.#phaseToLeave)) return null;
    return { reason: mode === 'entry' || mode === 'pause' ? mode : 'step', text: null, breakpoints: [] };
  }

  /** The reason to stop after a call; null to continue. `isLast`: no call follows it. */
  async afterCall({ phase }: RunningCall, outcome: CallOutcome, isLast: boolean): Promise<Stop | null> {
    if (this.afterThisCall !== null) return { reason: this.afterThisCall, text: null, breakpoints: [] };
    const { value, reason } = outcomeOf(outcome);
    if ('error' in outcome && outcome.error.code === TIMEOUT) {
      return (await this.#matchesFilter('time-limit')) ? { reason: 'exception', text: reason, breakpoints: [] } : null;
    }
    const threw = 'error' in outcome || (phase === 'evaluate' && value === null);
    if (threw && (await this.#matchesFilter('evaluator-threw')))
      return { reason: 'exception', text: reason, breakpoints: [] };
    const isFailure = phase === 'evaluate' && value !== null && value < 1;
    if (isFailure && (await this.#matchesFilter('evaluator-failed'))) {
      return { reason: 'exception', text: `${value}: ${reason}`, breakpoints: [] };
    }
    // No later stop would show the value of the last call.
    return isLast && this.#mode === 'next' ? { reason: 'step', text: null, breakpoints: [] } : null;
  }

  /** The reason to stop after an action that failed; null to continue. */
  async afterFailedAction(message: string): Promise<Stop | null> {
    return (await this.#matchesFilter('action-failed'))
      ? { reason: 'exception', text: message, breakpoints: [] }
      : null;
  }

  async #matchesFilter(filter: ExceptionFilter): Promise<boolean> {
    const { filters } = this.#breakpoints;
    if (!filters.has(filter)) return false;
    return await conditionHolds(filters.get(filter), this.#at.scope(), (text) => this.#at.output('stderr', text));
  }
}
