import { join, resolve } from 'node:path';
import { isServerError } from '../../placement/placement.ts';
import { type Rescored, Rescorer } from '../../runs/rescoring/rescorer.ts';
import { isSuccess } from '../../runs/results/reward.ts';
import { folders } from '../../runs/store/store.ts';
import { TraceError } from '../../runs/store/trace-file.ts';
import { kindAt } from '../../tasks/file-kind.ts';
import { printCall } from '../../tasks/print.ts';
import { type Command, type CommandContext, EXIT, UsageError } from '../command.ts';
import { shownPath } from '../paths.ts';
import { counted, short } from '../report.ts';

async function run(context: CommandContext): Promise<number> {
  const { positionals, cwd, json, output, signal, values } = context;
  if (positionals.length === 0) {
    throw new UsageError('no_path', 'Specify the folders of runs or jobs: taskwright rescore TRACE_DIR|JOB_DIR ….');
  }
  const everyStep = values['every-step'] === true;
  const traceDirs = (await Promise.all(positionals.map((path) => runsIn(resolve(cwd, path), cwd)))).flat();
  const rescorer = new Rescorer(await context.placement('local', 0));
  let results: readonly Rescored[];
  let unread = 0;
  try {
    results = await rescorer.rescoreAll([...new Set(traceDirs)], { everyStep, signal }, (result) => {
      if (result instanceof TraceError) {
        unread += 1;
        output.note(output.paintNote('red', result.message));
      } else if (!json) print(result, context);
    });
  } catch (error) {
    if (signal.aborted) return EXIT.interrupted;
    if (isServerError(error)) throw new UsageError(error.code, error.message, { cause: error });
    throw error;
  } finally {
    await rescorer.close();
  }
  if (json) output.json(results.map(told));
  else {
    const changed = results.filter((one) => one.new !== null && one.new !== one.old).length;
    const undecided = results.filter((one) => one.new === null).length;
    const recordings = undecided === 1 ? 'its recording' : 'their recordings';
    const rest = undecided === 0 ? '' : `; ${undecided} cannot be decided from ${recordings}`;
    output.print(`${changed} of ${counted(results.length, 'run')} changed${rest}`);
  }
  if (unread > 0) return EXIT.badUse;
  return results.every((one) => isSuccess(one.new)) ? EXIT.fine : EXIT.not;
}

/** The run in a folder, or all runs of the job in it. */
async function runsIn(folder: string, cwd: string): Promise<readonly string[]> {
  if (await isRun(folder)) return [folder];
  const all = (await foldersIn(folder, cwd)).sort().map((name) => join(folder, name));
  const isOne = await Promise.all(all.map(isRun));
  const inside = all.filter((_, index) => isOne[index]);
  if (inside.length > 0) return inside;
  throw new UsageError(
    'trace_missing',
    `${shownPath(folder, cwd)} contains no runs. Specify the folder of a run or a job.`,
  );
}

async function foldersIn(folder: string, cwd: string): Promise<string[]> {
  try {
    return await folders(folder);
  } catch (error) {
    const why = (error as Error).message;
    throw new UsageError('trace_missing', `${shownPath(folder, cwd)} cannot be read: ${why}`);
  }
}

/** One whose trace cannot be looked at is one too: it must not be missing without a word. */
async function isRun(folder: string): Promise<boolean> {
  const kind = await kindAt(join(folder, 'trace.jsonl'));
  return kind === 'file' || kind === 'unknown';
}

/** A result as other programs read it. */
function told({ runId, taskId, old, new: now, calls, steps }: Rescored) {
  return {
    run_id: runId,
    task_id: taskId,
    old,
    new: now,
    calls: calls.map(({ call, ...verdict }) => ({ function: call.function, args: call.args, ...verdict })),
    ...(steps === null ? {} : { steps: steps.map(({ index, reward }) => ({ index, reward })) }),
  };
}

function print({ runId, taskId, old, new: now, calls, steps, problem }: Rescored, { output }: CommandContext): void {
  const style = now === null ? 'yellow' : isSuccess(now) ? 'green' : 'red';
  const change = old === now ? short(now) : `${short(old)} → ${short(now)}`;
  output.print(`${taskId}  ${output.paint(style, change)}  ${output.paint('dim', runId)}`);
  if (problem !== null) output.print(`    ${output.paint('yellow', problem)}`);
  else {
    for (const { call, reason, ...values } of calls) {
      if (values.old === values.new && values.new !== null) continue;
      const verdict = `${short(values.old)} → ${short(values.new)}`;
      output.print(
        `    ${verdict}  ${printCall(call)}  ${output.paint(values.new === null ? 'yellow' : 'dim', reason)}`,
      );
    }
  }
  if (steps !== null) output.print(`    ${steps.map(({ index, reward }) => `${index}: ${short(reward)}`).join('  ')}`);
}

export const rescore: Command = {
  name: 'rescore',
  summary: 'Re-scores recorded runs with the current version of their tasks, without an agent or a live site.',
  usage: 'TRACE_DIR|JOB_DIR ... [--every-step] [--json]',
  options: { 'every-step': { type: 'boolean' }, verbose: { type: 'boolean' } },
  help: [
    ['TRACE_DIR|JOB_DIR', 'Folder of a run, or of a job to re-score all its runs'],
    ['--every-step', 'Also print the reward after each step'],
    ['--json', 'Print the results as JSON: run_id, task_id, old, new, calls, steps'],
    ['--verbose', 'Also print the log of the environment server'],
  ],
  run,
};
