import { isSuccess } from '../../results/reward.ts';
import type { Step } from '../../traces/trace.ts';

/** The step with which an ended run opens: the first call that failed, otherwise the last step of the agent. */
export function openingStep(steps: readonly Step[]): number | null {
  const failedCall = steps.find(
    ({ source, call, reward, error }) =>
      call !== undefined && (error !== null || (source === 'evaluate' && reward !== null && !isSuccess(reward))),
  );
  return (failedCall ?? steps.findLast(({ source }) => source === 'agent'))?.index ?? null;
}
