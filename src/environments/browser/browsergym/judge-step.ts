import type { ActionInput } from '../../../actions/action.ts';
import { EnvironmentError } from '../../environment.ts';
import { printTurn, type Turn } from '../acting/turn.ts';
import { OutOfTime } from '../limits.ts';
import { describeUnreadable, PAGE_HUNG } from '../observing/observe-page.ts';
import type { SessionState } from '../pages/session-state.ts';
import type { Benchmark } from './benchmark.ts';

/**
 * Reads the state of the episode from the benchmark once the page is idle. `rethrowCrash` throws if the page or the browser has
 * crashed.
 */
export async function judgeStep(
  benchmark: Benchmark,
  state: SessionState,
  turn: Turn,
  actions: readonly ActionInput[],
  rethrowCrash: () => Promise<void>,
): Promise<void> {
  const deeds = { action: printTurn(turn, actions), error: turn.error?.message ?? null };
  for (let tries = 3; ; tries--) {
    const { tab, reader } = await state.tabs.active();
    try {
      state.judgement = await benchmark.judge(tab, deeds);
      if (!state.judgement.atRest) delete turn.early;
      return;
    } catch (error) {
      await rethrowCrash();
      if (error instanceof EnvironmentError) throw error;
      if (error instanceof OutOfTime) {
        turn.error ??= (await reader.runsScript()) ? PAGE_HUNG : describeUnreadable(error);
        return;
      }
      // The page navigated meanwhile.
      if (tries === 1) throw error;
    }
  }
}
