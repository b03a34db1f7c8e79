import type { PageLink } from '../functions/page/questions.ts';
import type { Json } from '../tasks/task.ts';
import { type ActiveBreakpoint, isHitCountMet } from './breakpoints.ts';
import type { DebuggeeEvents, OutputLocation } from './debuggee.ts';
import { ExpressionError, type ExpressionScope, evaluateExpression, fillIn, holds } from './expression.ts';
import { lookUpName, type StoppedState } from './stopped-state.ts';

/** Names have their values at a state; functions are called by `call`, and the page is asked by `look`. */
export function expressionScope(
  state: StoppedState,
  call: (name: string, args: readonly Json[]) => Promise<unknown>,
  queryPage: (links: readonly PageLink[]) => Promise<unknown>,
): ExpressionScope {
  return { lookUp: (name) => lookUpName(state, name), call, queryPage };
}

/**
 * Passes breakpoints that stand where the run is: says what logpoints say, and gives those that it stops at. A condition
 * that cannot be worked out stops, and says why.
 */
export async function pass(
  here: readonly ActiveBreakpoint[],
  scope: ExpressionScope,
  output: DebuggeeEvents['output'],
  location?: OutputLocation,
): Promise<readonly ActiveBreakpoint[]> {
  const stopping: ActiveBreakpoint[] = [];
  for (const breakpoint of here) {
    const { condition, hitCondition, logMessage } = breakpoint;
    if (!(await conditionHolds(condition, scope, (text) => output('stderr', text, location)))) continue;
    breakpoint.hits += 1;
    if (hitCondition !== undefined && isHitCountMet(hitCondition, breakpoint.hits) === false) continue;
    if (logMessage === undefined) stopping.push(breakpoint);
    else output('stdout', await fillIn(logMessage, scope), location);
  }
  return stopping;
}

/** Whether a condition is met; there is none: it is. */
export async function conditionHolds(
  condition: string | undefined,
  scope: ExpressionScope,
  complain: (text: string) => void,
): Promise<boolean> {
  if (condition === undefined || condition.trim() === '') return true;
  try {
    return holds(await evaluateExpression(condition, scope));
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    complain(`The condition “${condition}” could not be worked out, so the run stops: ${error.message}`);
    return true;
  }
}
