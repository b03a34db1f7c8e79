import { resolve } from 'node:path';
import { jobStatistics } from '../../results/statistics.ts';
import { jobsIn } from '../../runs/job/job.ts';
import { mergeJobs } from '../../runs/job/merge.ts';
import { printedRuns } from '../../runs/job/printed-runs.ts';
import { skippedRun } from '../../runs/job/skipped-run.ts';
import { displayPath } from '../../runs/selection/display-path.ts';
import { UsageError } from '../../runs/usage-error.ts';
import { type Command, type CommandContext, EXIT, pathOption, textOption } from '../command.ts';
import { withJobErrors, writeJunit } from '../jobs.ts';
import { Progress } from '../progress.ts';
import { countText } from '../report.ts';

async function run(context: CommandContext): Promise<number> {
  const { positionals, cwd, json, output, signal } = context;
  const out = textOption(context, 'out');
  if (positionals.length === 0 || !out) {
    throw new UsageError(
      'bad_option',
      'Specify the folders of the shards, and where the merged job goes: taskwright merge DIR... --out DIR.',
    );
  }
  const junit = pathOption(context, 'junit');
  let mergedJob: Awaited<ReturnType<typeof mergeJobs>>;
  try {
    mergedJob = await withJobErrors(async () => {
      const folders = (await Promise.all(positionals.map((path) => jobsIn(resolve(cwd, path))))).flat();
      return await mergeJobs(folders, { root: resolve(cwd, out), cwd, signal });
    });
  } catch (error) {
    if (signal.aborted) return EXIT.interrupted;
    throw error;
  }
  const { id, folder, runs } = mergedJob;
  const missing = mergedJob.missing.map(({ run_id }) => run_id);
  const progress = new Progress(output, json, runs.length);
  for (const one of runs) progress.add(one);
  progress.end(runs, folder);
  if (missing.length > 0) {
    output.note(`${countText(missing.length, 'run')} missing: ${missing.join(', ')}`);
    output.note(`To make what is missing: taskwright run --resume ${displayPath(folder, cwd)}`);
  }
  if (json) {
    output.json({ job_id: id, runs: printedRuns(runs), statistics: jobStatistics(runs), missing });
  }
  if (junit !== null) {
    const error = { message: 'No shard has a result of this run.', code: 'run_missing' };
    const reportedRuns = [...runs, ...mergedJob.missing.map((planned) => skippedRun(planned, error))];
    const failure = await writeJunit(junit, id, reportedRuns);
    if (failure !== null) {
      output.note(failure);
      return EXIT.badUse;
    }
  }
  if (runs.some((one) => one.trace_dir === null)) return EXIT.badUse;
  const passed = runs.every((one) => one.success && one.status === 'completed');
  return passed && missing.length === 0 ? EXIT.fine : EXIT.not;
}

export const merge: Command = {
  name: 'merge',
  summary: 'Merges the shards of a job, and prints the reward and reasons of each run.',
  usage: 'DIR... --out DIR [--junit FILE] [--json]',
  help: [
    ['DIR', 'Folder of a shard: a job, or a folder that contains jobs'],
    ['--out DIR', 'Folder for the merged job'],
    ['--json', 'Print {job_id, runs, statistics, missing} as JSON'],
    ['--junit FILE', 'Write a JUnit XML report to FILE'],
  ],
  run,
};
