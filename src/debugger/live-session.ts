import type { Json } from '../base/json.ts';
import { EMPTY_RANGE } from '../base/range.ts';
import { findBuiltin } from '../functions/catalogue.ts';
import type { PageLink } from '../functions/page/page-link.ts';
import type { DebuggedSession } from '../runs/run/debugging.ts';
import type { CallOutcome } from '../server/protocol.ts';
import type { Call } from '../tasks/task.ts';
import type { CallValue } from './console.ts';
import { ExpressionError } from './expression.ts';
import type { StepInto } from './step-into.ts';
import { outcomeOf } from './stopped-state.ts';

/** The session of a live run as conditions and the debug console use it, and whether the user has changed anything. */
export class LiveSession {
  readonly #stepInto: StepInto;
  /** Null before it starts and after its end. */
  session: DebuggedSession | null = null;
  /** Whether the user has changed a value, an argument, the response, or possibly the page. */
  edited = false;

  constructor(stepInto: StepInto) {
    this.#stepInto = stepInto;
  }

  /** Replaces the agent's response for all following evaluate calls. */
  setResponse(text: string): void {
    this.edited = true;
    this.session?.setResponse(text);
  }

  /** Reads from the page. Rejects with `ExpressionError`. */
  async queryPage(links: readonly PageLink[]): Promise<Json> {
    const session = this.#responsive();
    try {
      return await session.queryPage(links);
    } catch (error) {
      throw new ExpressionError((error as Error).message, { cause: error });
    }
  }

  /** Runs a call. `passive`: only functions that change nothing. Rejects with `ExpressionError`. */
  async call(name: string, args: readonly Json[], passive: boolean): Promise<CallValue> {
    const outcome = await this.#run(name, args, passive);
    if ('error' in outcome) throw new ExpressionError(outcome.error.message);
    return outcomeOf(outcome);
  }

  async #run(name: string, args: readonly Json[], passive: boolean): Promise<CallOutcome> {
    const session = this.#responsive();
    const builtin = findBuiltin(name);
    if (passive && builtin?.phase !== 'evaluate') {
      throw new ExpressionError(`${name} can only be called in the debug console.`);
    }
    // Setup functions and user-defined functions may change the page.
    this.edited ||= builtin?.phase !== 'evaluate';
    const call: Call = { function: name, args: [...args], range: EMPTY_RANGE };
    const ask = async (phase: 'setup' | 'evaluate'): Promise<CallOutcome> => {
      try {
        return await session.runCall(phase, call);
      } catch (error) {
        throw new ExpressionError((error as Error).message, { cause: error });
      }
    };
    if (builtin !== undefined) return await ask(builtin.phase);
    const outcome = await ask('evaluate');
    // Only the session, which has loaded the function, knows whether it is a setup function.
    return 'error' in outcome && outcome.error.code === 'unknown_function' ? await ask('setup') : outcome;
  }

  #responsive(): DebuggedSession {
    if (this.session === null) throw new ExpressionError('The environment has not started yet, or has ended.');
    if (this.#stepInto.isPaused) {
      throw new ExpressionError('The page cannot respond while a function is stopped. Step out of the function first.');
    }
    return this.session;
  }
}
