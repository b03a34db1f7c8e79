import type { Json } from '../base/json.ts';
import type { PageLink } from '../functions/page/page-link.ts';
import { parseCallString } from '../tasks/reward-call.ts';
import { expressionScope } from './conditions.ts';
import { type Answer, DebugError } from './debuggee.ts';
import { ExpressionError, evaluateExpression, withoutAwait } from './expression.ts';
import type { StoppedState } from './stopped-state.ts';

/** The result of a setup or evaluate function. A setup function has no value. */
export interface CallValue {
  readonly value: number | null;
  readonly reason: string;
}

/** Evaluates an expression from the debug console, a hover, or a watch. Rejects with `DebugError`. */
export async function answer(
  expression: string,
  state: StoppedState,
  call: (name: string, args: readonly Json[]) => Promise<CallValue>,
  queryPage: (links: readonly PageLink[]) => Promise<unknown>,
): Promise<Answer> {
  const results: CallValue[] = [];
  const scope = expressionScope(
    state,
    async (name, args) => {
      const result = await call(name, args);
      results.push(result);
      return result.value;
    },
    queryPage,
  );
  try {
    const value = await evaluateExpression(expression, scope);
    // A single call also shows its reason.
    const only = parseCallString(withoutAwait(expression)) === null ? undefined : results[0];
    if (only === undefined) return { value, text: typeof value === 'string' ? JSON.stringify(value) : '' };
    if (only.value === null) return { value: null, text: 'done' };
    return { value: only, text: `${only.value} (${only.reason})` };
  } catch (error) {
    if (error instanceof ExpressionError) throw new DebugError(error.message, { cause: error });
    throw error;
  }
}
