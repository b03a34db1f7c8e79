import { join, resolve } from 'node:path';
import { kindAt } from '../../base/file-kind.ts';
import { describeSystemError } from '../../base/system-error.ts';
import { ServerError } from '../../placement/placement.ts';
import { changeOfCall, changeOfRun, summarizeChanges } from '../../results/rescore-change.ts';
import { formatReward, isSuccess } from '../../results/reward.ts';
import { type Rescored, type RescoredStep, Rescorer } from '../../runs/rescoring/rescorer.ts';
import { displayPath } from '../../runs/selection/display-path.ts';
import { asUsageError, UsageError } from '../../runs/usage-error.ts';
import { printCall } from '../../tasks/print.ts';
import { folders } from '../../traces/store.ts';
import { TraceError } from '../../traces/trace-file.ts';
import { type Command, type CommandContext, EXIT } from '../command.ts';

async function run(context: CommandContext): Promise<number> {
  const { positionals, cwd, json, output, signal, values } = context;
  if (positionals.length === 0) {
    throw new UsageError('no_path', 'Specify the folders of runs or jobs: taskwright rescore TRACE_DIR|JOB_DIR ….');
  }
  const everyStep = values['every-step'] === true;
  const traceDirs = (await Promise.all(positionals.map((path) => runsIn(resolve(cwd, path), cwd)))).flat();
  const rescorer = new Rescorer(await context.placement('local', 1));
  let results: readonly Rescored[];
  let unreadable = 0;
  try {
    results = await rescorer.rescoreAll([...new Set(traceDirs)], { everyStep, signal }, (result) => {
      if (result instanceof TraceError) {
        unreadable += 1;
        output.note(output.paintNote('red', result.message));
      } else if (!json) print(result, context);
    });
  } catch (error) {
    if (signal.aborted) return EXIT.interrupted;
    throw asUsageError(error, ServerError);
  } finally {
    await rescorer.close();
  }
  if (json) output.json(results.map(toJson));
  else output.print(summarizeChanges(results.map(changeOfRun)));
  if (unreadable > 0) return EXIT.badUse;
  return results.every((one) => isSuccess(one.new)) ? EXIT.fine : EXIT.not;
}

/** The run in a folder, or all runs of a job's folder. */
async function runsIn(folder: string, cwd: string): Promise<readonly string[]> {
  if (await isRun(folder)) return [folder];
  const all = (await foldersIn(folder, cwd)).sort().map((name) => join(folder, name));
  const isOne = await Promise.all(all.map(isRun));
  const runs = all.filter((_, index) => isOne[index]);
  if (runs.length > 0) return runs;
  throw new UsageError(
    'trace_missing',
    `${displayPath(folder, cwd)} contains no runs. Specify the folder of a run or a job.`,
  );
}

async function foldersIn(folder: string, cwd: string): Promise<string[]> {
  try {
    return await folders(folder);
  } catch (error) {
    const reason = describeSystemError(error);
    throw new UsageError('trace_missing', `${displayPath(folder, cwd)} cannot be read: ${reason}.`, { cause: error });
  }
}

/** A folder whose trace cannot be read counts as a run, so that it is reported. */
async function isRun(folder: string): Promise<boolean> {
  const kind = await kindAt(join(folder, 'trace.jsonl'));
  return kind === 'file' || kind === 'unknown';
}

/** The JSON value of a result. */
function toJson({ runId, taskId, old, new: now, calls, steps }: Rescored) {
  return {
    run_id: runId,
    task_id: taskId,
    old,
    new: now,
    calls: calls.map(({ call, failed: _, ...verdict }) => ({ function: call.function, args: call.args, ...verdict })),
    ...(steps === null ? {} : { steps: steps.map(({ index, reward }) => ({ index, reward })) }),
  };
}

function print(rescored: Rescored, { output }: CommandContext): void {
  const { runId, taskId, old, new: now, calls, steps, problem } = rescored;
  const kind = changeOfRun(rescored);
  const style = kind === 'error' ? 'red' : now === null ? 'yellow' : isSuccess(now) ? 'green' : 'red';
  const result = kind === 'error' ? 'error' : formatReward(now);
  const isSame = kind === 'same' || kind === 'calls';
  const change = isSame ? result : `${formatReward(old)} → ${result}`;
  output.print(`${taskId}  ${output.paint(style, change)}  ${output.paint('dim', runId)}`);
  if (problem !== null) output.print(`    ${output.paint('yellow', problem)}`);
  else {
    for (const one of calls) {
      const kindOfChange = changeOfCall(one);
      if (kindOfChange === 'same') continue;
      const verdict = `${formatReward(one.old)} → ${kindOfChange === 'error' ? 'error' : formatReward(one.new)}`;
      const color = kindOfChange === 'error' ? 'red' : kindOfChange === 'unknown' ? 'yellow' : 'dim';
      output.print(`    ${verdict}  ${printCall(one.call)}  ${output.paint(color, one.reason)}`);
    }
  }
  if (steps !== null) output.print(`    ${steps.map(stepText).join('  ')}`);
}

/** `setup: 0.00`, `step 3: 0.50`. */
function stepText({ agentSteps, reward }: RescoredStep): string {
  return `${agentSteps === 0 ? 'setup' : `step ${agentSteps}`}: ${formatReward(reward)}`;
}

export const rescore: Command = {
  name: 'rescore',
  summary: 'Re-scores recorded runs with the current version of their tasks, without an agent or a live site.',
  usage: 'TRACE_DIR|JOB_DIR ... [--every-step] [--json]',
  help: [
    ['TRACE_DIR|JOB_DIR', 'Folder of a run, or of a job to re-score all its runs'],
    ['--every-step', 'Also print the reward after each step'],
    ['--json', 'Print the results as JSON: run_id, task_id, old, new, calls, steps'],
    ['--verbose', 'Also print the log of the environment server'],
  ],
  run,
};
