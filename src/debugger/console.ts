import type { PageLink } from '../functions/page/questions.ts';
import { parseCallString } from '../tasks/reward-call.ts';
import type { Json } from '../tasks/task.ts';
import { type Answer, DebugError } from './debuggee.ts';
import { ExpressionError, evaluateExpression } from './expression.ts';
import { expressionScope } from './hit-breakpoints.ts';
import type { StoppedState } from './stopped-state.ts';

/** What a setup or evaluate function came to; a setup function has no value. */
export interface Called {
  readonly value: number | null;
  readonly reason: string;
}

/** Answers what is asked in the console, by a hover or by a watch. Rejects with `DebugError`. */
export async function answer(
  expression: string,
  state: StoppedState,
  call: (name: string, args: readonly Json[]) => Promise<Called>,
  queryPage: (links: readonly PageLink[]) => Promise<unknown>,
): Promise<Answer> {
  const all: Called[] = [];
  const scope = expressionScope(
    state,
    async (name, args) => {
      const came = await call(name, args);
      all.push(came);
      return came.value;
    },
    queryPage,
  );
  try {
    const value = await evaluateExpression(expression, scope);
    // Of a call alone the reason is told too.
    const called = parseCallString(expression) === null ? undefined : all[0];
    if (called === undefined) return { value, text: typeof value === 'string' ? JSON.stringify(value) : '' };
    if (called.value === null) return { value: null, text: 'done' };
    return { value: called, text: `${called.value} (${called.reason})` };
  } catch (error) {
    if (error instanceof ExpressionError) throw new DebugError(error.message, { cause: error });
    throw error;
  }
}
