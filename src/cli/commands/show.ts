import { join, resolve } from 'node:path';
import { kindAt } from '../../base/file-kind.ts';
import { type RunToExport, readForExport } from '../../formats/runs/exporter.ts';
import { EXPORTERS } from '../../formats/runs/exporters.ts';
import { readRunFile, traceFiles } from '../../formats/runs/importers.ts';
import { dataUrl } from '../../formats/runs/picture.ts';
import { findRow } from '../../presentation/tasks/reference.ts';
import { jobStatistics } from '../../results/statistics.ts';
import { printedRuns } from '../../runs/job/printed-runs.ts';
import { readJobResults } from '../../runs/job/read-job.ts';
import { displayPath } from '../../runs/selection/display-path.ts';
import { asUsageError, UsageError } from '../../runs/usage-error.ts';
import { selectorOf } from '../../tasks/address.ts';
import { loadFoundTaskFile } from '../../tasks/discover.ts';
import { numberStep } from '../../traces/new-step.ts';
import { openRun } from '../../traces/store.ts';
import { TraceError } from '../../traces/trace-file.ts';
import { type Command, type CommandContext, EXIT, textOption } from '../command.ts';
import { withJobErrors } from '../jobs.ts';
import { countText, hostLines, resultWords, stepLines, verdictLines } from '../report.ts';

const FORMATS = EXPORTERS.map(({ name }) => name).join('|');

/** A run from its folder or from a file of another program. */
interface ShownRun extends RunToExport {
  readonly running: boolean;
}

async function run(context: CommandContext): Promise<number> {
  const { positionals, cwd, json, output } = context;
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0) {
    throw new UsageError(
      'no_path',
      'Specify the folder of a run or a job, or a file or folder that HUD wrote: taskwright show TRACE_DIR|JOB_DIR|FILE|DIR.',
    );
  }
  const format = textOption(context, 'format');
  const exporter = EXPORTERS.find(({ name }) => name === format);
  if (format !== null && exporter === undefined) {
    throw new UsageError('bad_option', `Unknown format “${format}”. Use --format ${FORMATS}.`);
  }
  const target = resolve(cwd, path);
  if (await isJob(target)) {
    if (exporter !== undefined)
      throw new UsageError('bad_option', '--format requires the folder of a run, not of a job.');
    return await showJob(target, context);
  }
  let runs: readonly ShownRun[];
  try {
    runs = await ((await kindAt(target)) === 'file' ? ofFile(target) : ofFolder(target));
    if (exporter !== undefined) {
      await exporter.write(runs, { file: async (_name, content) => output.text(String(content)) });
      for (const warning of runs.flatMap(({ warnings }) => warnings)) output.note(warning);
      return EXIT.fine;
    }
  } catch (error) {
    throw asUsageError(error, TraceError);
  }
  if (json) {
    const values = runs.map(({ record, steps }) => ({ ...record, steps }));
    output.json(values.length === 1 ? values[0] : values);
    return EXIT.fine;
  }
  for (const run of runs) print(run, await addressOfTask(run, cwd), context);
  const remote = runs.flatMap(({ steps }) => steps).filter(({ info }) => 'observation_url' in info).length;
  if (remote > 0)
    output.note(
      `${countText(remote, 'picture')} on other hosts not downloaded. To download them, import the run in the editor.`,
    );
  return EXIT.fine;
}

/** Whether a folder is a job, and not a run. */
async function isJob(folder: string): Promise<boolean> {
  const [run, job] = await Promise.all([kindAt(join(folder, 'trace.jsonl')), kindAt(join(folder, 'job.json'))]);
  return run === 'absent' && job === 'file';
}

/** Prints a job as `run` does. */
async function showJob(folder: string, { json, output }: CommandContext): Promise<number> {
  const { paint } = output;
  const lines: string[] = [];
  const { id, runs, missing, running } = await withJobErrors(() =>
    readJobResults(folder, {
      ...(json ? {} : { onRun: (one) => lines.push(...verdictLines(one, paint)) }),
      onProblem: ({ message }) => output.note(output.paintNote('red', message)),
    }),
  );
  if (json) {
    const ids = missing.map(({ run_id }) => run_id);
    output.json({ job_id: id, runs: printedRuns(runs), statistics: jobStatistics(runs), missing: ids });
    return EXIT.fine;
  }
  output.printLines([...lines, resultWords(runs, paint).join(' · '), ...hostLines(runs)]);
  if (missing.length > 0) output.note(`${countText(missing.length, 'run')} not started.`);
  if (running) output.note('This job is still in progress.');
  return EXIT.fine;
}

/** The run in its folder, or all runs in a folder of HUD's trace files. */
async function ofFolder(folder: string): Promise<readonly ShownRun[]> {
  const traces = (await kindAt(join(folder, 'trace.jsonl'))) === 'file' ? [] : await traceFiles(folder);
  if (traces.length > 0) return (await Promise.all(traces.map(ofFile))).flat();
  const recordedRun = await openRun(folder);
  return [Object.assign(await readForExport(recordedRun), { running: recordedRun.running })];
}

async function ofFile(path: string): Promise<readonly ShownRun[]> {
  const runs = await readRunFile(path);
  return runs.map(({ header, record, steps }) => {
    const pictures = new Map<string, string>();
    const numberedSteps = steps.map((step, index) => {
      const one = numberStep(step, index);
      const name = one.observation?.screenshot ?? null;
      if (name !== null && step.observation?.screenshot != null)
        pictures.set(name, dataUrl(step.observation.screenshot));
      return one;
    });
    const picture = async (name: string) => pictures.get(name) ?? null;
    return { header, record, steps: numberedSteps, running: false, picture, warnings: [] };
  });
}

/** The address that selects the task of a run in its file as it is now, or was when it was recorded if it is gone. */
async function addressOfTask({ header, record }: ShownRun, cwd: string): Promise<string> {
  const path = record.trace_dir === null ? displayPath(record.file, cwd) : record.file;
  const file = await loadFoundTaskFile(record.file);
  const row = findRow(file.rows, { index: header.task.index, name: record.task_id });
  return `${path}#${row === undefined ? record.task_id : selectorOf(file, row)}`;
}

function print({ header, record, steps, running }: ShownRun, address: string, { output }: CommandContext): void {
  const { paint } = output;
  if (record.prompt !== '') output.print(paint('bold', record.prompt));
  output.print(paint('dim', `${address}  agent ${header.agent}  seed ${record.seed}  ${record.started_at}`));
  for (const step of steps) for (const line of stepLines(step, paint)) output.print(line);
  // Runs from a file have no folder, but were started.
  for (const line of verdictLines({ ...record, trace_dir: record.trace_dir ?? record.file }, paint)) output.print(line);
  if (running) output.note('This run is still in progress.');
}

export const show: Command = {
  name: 'show',
  summary:
    'Prints the steps, reward, and reasons of a recorded run or of runs that HUD recorded, or the runs of a job.',
  usage: `TRACE_DIR|JOB_DIR|FILE|DIR [--json] [--format ${FORMATS}]`,
  help: [
    [
      '--json',
      'Print the run as JSON, with its prompt, grade, and steps, or {job_id, runs, statistics, missing} of a job',
    ],
    ...EXPORTERS.map(
      ({ name, label }) => [`--format ${name}`, `Print the run as ${label}, with its screenshots`] as const,
    ),
  ],
  run,
};
