import type { ReadableRun } from '../../presentation/runs/readable-run.ts';
import { actionLines } from '../../runs/solutions/solution-text.ts';
import type { Step } from '../../traces/trace.ts';

/** The actions of a step as lines of a solution; null for a step without actions. */
export async function copiedAction(run: ReadableRun, index: number | null): Promise<string | null> {
  const steps = await run.steps();
  const step: Step | undefined =
    index === null ? steps.findLast(({ source }) => source === 'agent') : steps.find((one) => one.index === index);
  const lines = step === undefined ? [] : actionLines(step, run.task.env);
  return lines.length === 0 ? null : lines.join('\n');
}
