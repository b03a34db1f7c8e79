import type { Json } from '../base/json.ts';
import type { PageLink } from '../functions/page/page-link.ts';
import { type ActiveBreakpoint, isHitCountMet } from './breakpoints.ts';
import type { DebuggeeEvents, OutputLocation } from './debuggee.ts';
import { ExpressionError, type ExpressionScope, evaluateExpression, formatMessage, isTruthy } from './expression.ts';
import { lookUpName, type StoppedState } from './stopped-state.ts';

export function expressionScope(
  state: StoppedState,
  call: (name: string, args: readonly Json[]) => Promise<unknown>,
  queryPage: (links: readonly PageLink[]) => Promise<unknown>,
): ExpressionScope {
  return { lookUp: (name) => lookUpName(state, name), call, queryPage };
}

/**
 * Prints the messages of logpoints and returns the breakpoints that stop the run. A condition that cannot be evaluated
 * stops the run, with a message.
 */
export async function hitBreakpoints(
  candidates: readonly ActiveBreakpoint[],
  scope: ExpressionScope,
  output: DebuggeeEvents['output'],
  location?: OutputLocation,
): Promise<readonly ActiveBreakpoint[]> {
  const stopping: ActiveBreakpoint[] = [];
  for (const breakpoint of candidates) {
    const { condition, hitCondition, logMessage } = breakpoint;
    if (!(await conditionHolds(condition, scope, (text) => output('stderr', text, location)))) continue;
    breakpoint.hits += 1;
    if (hitCondition !== undefined && isHitCountMet(hitCondition, breakpoint.hits) === false) continue;
    if (logMessage === undefined) stopping.push(breakpoint);
    else output('stdout', await formatMessage(logMessage, scope), location);
  }
  return stopping;
}

/** Whether a condition is met. An absent condition always is. */
export async function conditionHolds(
  condition: string | undefined,
  scope: ExpressionScope,
  printError: (text: string) => void,
): Promise<boolean> {
  if (condition === undefined || condition.trim() === '') return true;
  try {
    return isTruthy(await evaluateExpression(condition, scope));
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    printError(`The condition “${condition}” could not be evaluated, so the run stops: ${error.message}`);
    return true;
  }
}
