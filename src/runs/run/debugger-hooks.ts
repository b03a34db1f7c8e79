import { untilAborted } from '../../base/until-aborted.ts';
import type { RunDebugger, RunningCall } from './debugging.ts';
import type { RunContext } from './run-context.ts';
import type { FinishedCall, RunSession } from './run-session.ts';
import { maskedOutcome } from './session-debugger.ts';

/** Waits for the debugger, if there is one, without counting the time; null when the run is ending. */
export async function awaitDebugger<T>(
  { plan: { debugger: runDebugger }, clock }: RunContext,
  wait: (runDebugger: RunDebugger) => Promise<T>,
): Promise<T | null> {
  if (runDebugger === undefined || clock.stop.aborted) return null;
  const resumeClock = clock.suspend();
  try {
    return await untilAborted(wait(runDebugger), clock.stop);
  } catch (error) {
    if (clock.stop.aborted) return null;
    throw error;
  } finally {
    resumeClock();
  }
}

/** Runs a call of the task, repeatedly if a debugger requests it; the last outcome counts. */
export async function runCall(context: RunContext, session: RunSession, running: RunningCall): Promise<FinishedCall> {
  const changedCall = await awaitDebugger(context, (runDebugger) => runDebugger.beforeCall(running));
  let request = changedCall ?? { call: running.call, pause: false };
  for (;;) {
    const { call } = request;
    const reply = await session.call(running.phase, request);
    const again = await awaitDebugger(context, (runDebugger) =>
      runDebugger.afterCall({ ...running, call }, maskedOutcome(reply.outcome, context.mask)),
    );
    if (again === null) return { call, ...reply };
    request = { call: again, pause: false };
  }
}
