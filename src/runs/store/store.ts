import { lstat, readdir, readFile, rm, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { absent } from '../../tasks/file-kind.ts';
import { taskName } from '../../tasks/name.ts';
import { type JobPlan, readJobFile } from '../job/job-file.ts';
import { isOwned } from './owner.ts';
import { type Run, type RunRecord, runRecordSchema, type Step, type TraceHeader } from './trace.ts';
import { readHeader, TraceError, TraceFile } from './trace-file.ts';
import { withoutDetails } from './without-details.ts';

/** A run as lists show it; cheap to read. */
export interface RunEntry {
  readonly traceDir: string;
  readonly jobId: string;
  /** What `run.json` says; for a run without one what its trace says, with status `interrupted`. */
  readonly run: Run;
  /** The agent as it was asked for. */
  readonly agent: string;
  /** The process that makes this run is alive: its end is still to come. */
  readonly running: boolean;
  /** When its `run.json` was written, in milliseconds since 1970; null where there is none. */
  readonly writtenAt: number | null;
}

/** A run opened to be looked at. Steps are read from disk when they are asked for. */
export interface RecordedRun {
  readonly traceDir: string;
  readonly header: TraceHeader;
  /** What `run.json` says; for a run without one what its trace says, with status `interrupted`. */
  readonly record: RunRecord;
  readonly running: boolean;
  /** How many step lines the trace has, of all sources. */
  readonly stepCount: number;
  /** A last line that was not written whole is left out. */
  readonly cutShort: boolean;
  /** Throws `TraceError`, which names the line. */
  step(index: number): Promise<Step>;
  steps(): Promise<readonly Step[]>;
  /** Absolute path of a picture that a step names. Throws `TraceError` where the name leads out of the run's folder. */
  picture(screenshot: string): string;
}

/** A job as lists show it. */
export interface JobEntry {
  readonly folder: string;
  readonly startedAt: string;
  /** Null for a single run, and for what other tools have put there. */
  readonly plan: JobPlan | null;
  /** A process that is alive makes its runs. */
  readonly running: boolean;
  /** Its runs so far, the newest first. */
  readonly runs: readonly RunEntry[];
}

/**
 * All jobs in a folder of jobs (`.taskwright/jobs`), newest first. No such folder: none. A folder that cannot be read is
 * told to `onProblem`, and the others are listed all the same. `known`: what was listed before, so that runs that have
 * ended are not read again.
 */
export async function listJobs(
  root: string,
  onProblem: (traceDir: string, error: Error) => void = () => {},
  known: readonly JobEntry[] = [],
): Promise<readonly JobEntry[]> {
  const before = new Map(known.flatMap(({ runs }) => runs.map((run) => [run.traceDir, run] as const)));
  const jobs: JobEntry[] = [];
  for (const name of await folders(root)) {
    const folder = join(root, name);
    try {
      const job = await readJob(folder, onProblem, before);
      if (job !== null) jobs.push(job);
    } catch (error) {
      onProblem(folder, error as Error);
    }
  }
  return jobs.sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1));
}

/** Null where the folder holds neither a job nor runs. */
async function readJob(
  folder: string,
  onProblem: (traceDir: string, error: Error) => void,
  before: ReadonlyMap<string, RunEntry>,
): Promise<JobEntry | null> {
  const runs: RunEntry[] = [];
  const read = (await folders(folder)).map(async (run): Promise<void> => {
    const traceDir = join(folder, run);
    try {
      runs.push(await readEntry(traceDir, basename(folder), before.get(traceDir), onProblem));
    } catch (error) {
      onProblem(traceDir, error as Error);
    }
  });
  const file = await readJobFile(folder);
  await Promise.all(read);
  if (file === null && runs.length === 0) return null;
  runs.sort((a, b) => (a.run.started_at < b.run.started_at ? 1 : -1));
  const startedAt = file?.started_at ?? runs.at(-1)?.run.started_at ?? '';
  return { folder, startedAt, plan: file?.plan ?? null, running: await isOwned(folder), runs };
}

/** All runs below a folder of jobs, newest first; see `listJobs`. */
export async function listRuns(
  root: string,
  onProblem: (traceDir: string, error: Error) => void = () => {},
): Promise<readonly RunEntry[]> {
  const jobs = await listJobs(root, onProblem);
  return jobs.flatMap(({ runs }) => runs).sort((a, b) => (a.run.started_at < b.run.started_at ? 1 : -1));
}

async function readEntry(
  traceDir: string,
  jobId: string,
  known: RunEntry | undefined,
  onProblem: (traceDir: string, error: Error) => void,
): Promise<RunEntry> {
  // A name is of one run for ever, but a run that broke may be made again.
  if (known !== undefined && !known.running && known.run.status !== 'interrupted') {
    const written = await stat(join(traceDir, 'run.json')).catch(() => null);
    if (written !== null && written.mtimeMs === known.writtenAt) return known;
  }
  const { record, problem } = await readRecordIfWhole(traceDir);
  if (problem !== null) onProblem(traceDir, problem);
  if (record === null) {
    const { record: soFar, running, header } = await openRun(traceDir);
    return { traceDir, jobId, run: withoutDetails(soFar), agent: header.agent, running, writtenAt: null };
  }
  const { mtimeMs } = await stat(join(traceDir, 'run.json'));
  const { agent } = await readHeader(join(traceDir, 'trace.jsonl'));
  return { traceDir, jobId, run: withoutDetails(record), agent, running: false, writtenAt: mtimeMs };
}

/** Opens a run's folder. Throws `TraceError`. */
export async function openRun(traceDir: string): Promise<RecordedRun> {
  const folder = resolve(traceDir);
  // Asked before the trace is read: a run that ends meanwhile must not look interrupted.
  const owned = await isOwned(folder);
  const trace = await TraceFile.open(join(folder, 'trace.jsonl'));
  const { record, problem } = await readRecordIfWhole(folder);
  return {
    traceDir: folder,
    header: trace.header,
    record: record ?? (await interrupted(folder, trace, problem)),
    running: record === null && problem === null && owned,
    stepCount: trace.stepCount,
    cutShort: trace.cutShort,
    step: (index) => trace.step(index),
    steps: () => trace.steps(),
    picture: (screenshot) => {
      const path = resolve(folder, screenshot);
      if (isAbsolute(screenshot) || !path.startsWith(folder + sep)) {
        throw new TraceError('trace_broken', `The picture ${JSON.stringify(screenshot)} is outside the run's folder.`);
      }
      return path;
    },
  };
}

/**
 * Removes a run's folder, and its job's where that was the last run. Throws `TraceError` where it is no run or still
 * runs. `remove` takes a folder away for good, or to a trash.
 */
export async function deleteRun(
  traceDir: string,
  remove: (folder: string) => Promise<void> = (folder) => rm(folder, { recursive: true }),
): Promise<void> {
  const folder = resolve(traceDir);
  const trace = await lstat(join(folder, 'trace.jsonl')).catch(absent);
  if (trace === null || !trace.isFile()) {
    throw new TraceError('trace_missing', `${folder} holds no trace.jsonl: it is no run, so it is not deleted.`);
  }
  if (await isOwned(folder)) throw new TraceError('trace_running', 'This run still runs. Stop it first.');
  await remove(folder);
  const job = dirname(folder);
  const left = await readdir(job, { withFileTypes: true });
  if (left.every((entry) => entry.isFile()) && !(await isOwned(job))) await rm(job, { recursive: true });
}

/** Names of the folders in a folder; links are none of them. */
export async function folders(root: string): Promise<string[]> {
  try {
    const entries = await readdir(root, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** What `run.json` says; null where there is none: the run has not ended. Throws `TraceError` where it is broken. */
export async function readRecord(folder: string): Promise<RunRecord | null> {
  const path = join(folder, 'run.json');
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new TraceError('trace_broken', `${path} is broken: ${(error as Error).message}`);
  }
  const record = runRecordSchema.safeParse(json);
  if (!record.success) {
    const [issue] = record.error.issues;
    throw new TraceError('trace_broken', `${path} is broken: ${issue?.path.join('.')}: ${issue?.message}`);
  }
  // The folder may have been moved since.
  return { ...record.data, trace_dir: folder };
}

/** As `readRecord`, but where `run.json` is broken, `problem` says how: the trace beside it can be read all the same. */
async function readRecordIfWhole(
  folder: string,
): Promise<{ readonly record: RunRecord | null; readonly problem: TraceError | null }> {
  try {
    return { record: await readRecord(folder), problem: null };
  } catch (problem) {
    if (!(problem instanceof TraceError)) throw problem;
    return { record: null, problem };
  }
}

/** What the trace of a run that has not (or not yet) ended, or whose `run.json` is broken, says about it. */
async function interrupted(folder: string, trace: TraceFile, problem: TraceError | null): Promise<RunRecord> {
  const { header } = trace;
  const begun = Date.parse(header.started_at);
  let steps = 0;
  let end = begun;
  let done = false;
  let content: string | null = null;
  const subscores: RunRecord['grade']['subscores'] = [];
  for (const step of await trace.steps()) {
    if (step.source === 'agent') steps += 1;
    end = Math.max(end, Date.parse(step.started_at) + step.duration_ms);
    done ||= step.terminated;
    const response = step.info['response'];
    if (typeof response === 'string') content = response;
    if (step.source !== 'evaluate' || step.call === undefined) continue;
    const reason = step.info['reason'];
    const weight = step.call.metadata?.['weight'];
    subscores.push({
      name: step.call.function,
      value: step.reward,
      weight: typeof weight === 'number' ? weight : 1,
      reason: typeof reason === 'string' ? reason : (step.error?.message ?? ''),
      range: step.call.range,
    });
  }
  const info = problem === null ? {} : { warning: `The verdict of this run is not known: ${problem.message}` };
  return {
    run_id: header.run_id,
    task_id: taskName(header.task),
    file: header.task.file,
    group_id: header.group_id,
    seed: header.seed,
    status: 'interrupted',
    reward: null,
    success: false,
    truncated: false,
    error: null,
    steps,
    duration_ms: Math.max(0, Math.round(end - begun)),
    started_at: header.started_at,
    trace_dir: folder,
    prompt: header.prompt,
    grade: { reward: null, done, content, info, is_error: false, subscores },
  };
}
