import type { PageLink } from '../functions/page/questions.ts';
import type { Json } from '../tasks/task.ts';
import { hitsEnough, type SetBreakpoint } from './breakpoints.ts';
import type { DebuggeeEvents, OutputPlace } from './debuggee.ts';
import { ExpressionError, type ExpressionScope, evaluateExpression, fillIn, holds } from './expression.ts';
import { type Moment, namedAt } from './moment.ts';

/** Names have their values at a moment; functions are called by `call`, and the page is asked by `look`. */
export function scopeAt(
  moment: Moment,
  call: (name: string, args: readonly Json[]) => Promise<unknown>,
  look: (links: readonly PageLink[]) => Promise<unknown>,
): ExpressionScope {
  return { lookUp: (name) => namedAt(moment, name), call, look };
}

/**
 * Passes breakpoints that stand where the run is: says what logpoints say, and gives those that it stops at. A condition
 * that cannot be worked out stops, and says why.
 */
export async function pass(
  here: readonly SetBreakpoint[],
  scope: ExpressionScope,
  output: DebuggeeEvents['output'],
  place?: OutputPlace,
): Promise<readonly SetBreakpoint[]> {
  const stopping: SetBreakpoint[] = [];
  for (const breakpoint of here) {
    const { condition, hitCondition, logMessage } = breakpoint;
    if (!(await meets(condition, scope, (text) => output('stderr', text, place)))) continue;
    breakpoint.hits += 1;
    if (hitCondition !== undefined && hitsEnough(hitCondition, breakpoint.hits) === false) continue;
    if (logMessage === undefined) stopping.push(breakpoint);
    else output('stdout', await fillIn(logMessage, scope), place);
  }
  return stopping;
}

/** Whether a condition is met; there is none: it is. */
export async function meets(
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
