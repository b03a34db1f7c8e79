import { lstat, readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { isNotFound, kindAt, nullIfNotFound, readOrdinaryFile, readOrdinaryFileSync } from '../base/file-kind.ts';
import { mapAtMost } from '../base/map-at-most.ts';
import { parseJson } from '../base/parse-json.ts';
import { describeSystemError, isSystemError } from '../base/system-error.ts';
import { reasonsOf } from '../results/reasons.ts';
import { taskName } from '../tasks/name.ts';
import { type JobPlan, readJobFile } from './job-file.ts';
import { adviceFor, isOwned, ownerOf } from './owner.ts';
import { earlierAttempts } from './set-aside.ts';
import { type Run, type RunRecord, runRecordSchema, type Step, type TraceHeader } from './trace.ts';
import { readHeader, TraceError, TraceFile, unreadable } from './trace-file.ts';
import { withoutDetails } from './without-details.ts';

export const RECORD = 'run.json';
export const TRACE = 'trace.jsonl';

/** A run for lists. */
export interface RunEntry {
  readonly traceDir: string;
  readonly jobId: string;
  /** The content of `run.json`; without that file, derived from the trace with status `interrupted`. */
  readonly run: Run;
  /** The reasons of its calls; see `reasonsOf`. */
  readonly reasons: string;
  /** The agent as the user wrote it. */
  readonly agent: string;
  /** The process of this run is alive. */
  readonly running: boolean;
  /** Modification time of `run.json` in milliseconds since 1970; null if there is none. */
  readonly writtenAt: number | null;
}

/** An opened run. Steps are read from disk on request. */
export interface RecordedRun {
  readonly traceDir: string;
  readonly header: TraceHeader;
  /** The content of `run.json`; without that file, derived from the trace with status `interrupted`. */
  readonly record: RunRecord;
  readonly running: boolean;
  /** Number of step lines in the trace, of all sources. */
  readonly stepCount: number;
  /** The last line is incomplete and was left out. */
  readonly cutShort: boolean;
  /** Rejects with `TraceError`, whose message has the line. */
  step(index: number): Promise<Step>;
  steps(): Promise<readonly Step[]>;
  /** Absolute path of a step's screenshot. Throws `TraceError` if it is outside the run's folder. */
  picture(screenshot: string): string;
}

/** A job for lists. */
export interface JobEntry {
  readonly folder: string;
  readonly startedAt: string;
  /** Null for jobs without a plan, such as those of other tools. */
  readonly plan: JobPlan | null;
  /** The process of the job is alive. */
  readonly running: boolean;
  /** Runs so far, newest first. */
  readonly runs: readonly RunEntry[];
  /** Runs that cannot be read, in part or at all: only those with a readable trace are among `runs`. */
  readonly problems: readonly RunProblem[];
}

/** Why a run cannot be read. */
export interface RunProblem {
  readonly traceDir: string;
  readonly message: string;
}

/**
 * All jobs in a folder of jobs (`.taskwright/jobs`), newest first; none if the folder does not exist. Folders that cannot be
 * read are reported to `onProblem`. `knownJobs`: an earlier listing, so that ended runs are not read again.
 */
export async function listJobs(
  root: string,
  onProblem: (traceDir: string, error: Error) => void = () => {},
  knownJobs: readonly JobEntry[] = [],
): Promise<readonly JobEntry[]> {
  const before = new Map(knownJobs.flatMap(({ runs }) => runs.map((run) => [run.traceDir, run] as const)));
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

/** Number of runs that are read at the same time: thousands would fill the memory and reach the limit of open files. */
export const AT_ONCE = 32;

/** Null if the folder contains neither a job nor runs. */
async function readJob(
  folder: string,
  onProblem: (traceDir: string, error: Error) => void,
  before: ReadonlyMap<string, RunEntry>,
): Promise<JobEntry | null> {
  const runs: RunEntry[] = [];
  const problems = new Map<string, RunProblem>();
  // Checked before reading the runs: one between two attempts has no trace.
  const running = await isOwned(folder);
  const report = async (traceDir: string, error: Error): Promise<void> => {
    onProblem(traceDir, error);
    if (!running || (await hasTrace(traceDir)))
      problems.set(traceDir, { traceDir, message: unreadable(traceDir, error).message });
  };
  const names = await folders(folder);
  const file = await readJobFile(folder);
  const agents = new Map(file?.plan?.runs.map(({ run_id, agent }) => [run_id, agent]));
  await mapAtMost(AT_ONCE, names, async (run) => {
    const traceDir = join(folder, run);
    const facts = { jobId: basename(folder), agent: agents.get(run) ?? null, entry: before.get(traceDir) };
    try {
      runs.push(await readEntry(traceDir, facts, report));
    } catch (error) {
      await report(traceDir, error as Error);
    }
  });
  if (file === null && runs.length === 0) return null;
  runs.sort((a, b) => (a.run.started_at < b.run.started_at ? 1 : -1));
  const startedAt = file?.started_at ?? runs.at(-1)?.run.started_at ?? '';
  return { folder, startedAt, plan: file?.plan ?? null, running, runs, problems: [...problems.values()] };
}

/** What is known of a run before it is read. */
interface KnownFacts {
  readonly jobId: string;
  /** As in the job's plan; null if it has none. */
  readonly agent: string | null;
  /** From an earlier listing. */
  readonly entry: RunEntry | undefined;
}

async function readEntry(
  traceDir: string,
  { jobId, agent: plannedAgent, entry: knownRun }: KnownFacts,
  onProblem: (traceDir: string, error: Error) => Promise<void>,
): Promise<RunEntry> {
  // A run keeps its name when it is made again.
  if (knownRun !== undefined && !knownRun.running && knownRun.run.status !== 'interrupted') {
    const recordStats = await stat(join(traceDir, RECORD)).catch(() => null);
    if (recordStats !== null && recordStats.mtimeMs === knownRun.writtenAt) return knownRun;
  }
  const { record, problem } = await readRecordIfWhole(traceDir);
  if (problem !== null) await onProblem(traceDir, problem);
  if (record === null) {
    const { record: partialRecord, running, header } = await openRun(traceDir);
    const reasons = running ? '' : reasonsOf(partialRecord);
    const run = withoutDetails(partialRecord);
    return { traceDir, jobId, run, reasons, agent: header.agent, running, writtenAt: null };
  }
  const { mtimeMs } = await stat(join(traceDir, RECORD));
  // The plan spares a read of the trace.
  const agent = plannedAgent ?? (await readHeader(join(traceDir, TRACE))).agent;
  const reasons = reasonsOf(record);
  const run = withoutDetails(withAgent(record, agent));
  return { traceDir, jobId, run, reasons, agent, running: false, writtenAt: mtimeMs };
}

/** Opens a run's folder. Rejects with `TraceError`. */
export async function openRun(traceDir: string): Promise<RecordedRun> {
  const folder = resolve(traceDir);
  // Checked before reading the trace: a run that ends meanwhile must not look interrupted.
  const isRunning = await isOwned(folder);
  const trace = await traceOf(folder, isRunning);
  const { record, problem } = await readRecordIfWhole(folder);
  return {
    traceDir: folder,
    header: trace.header,
    record: record === null ? await interruptedRecord(folder, trace, problem) : withAgent(record, trace.header.agent),
    running: record === null && problem === null && isRunning,
    stepCount: trace.stepCount,
    cutShort: trace.cutShort,
    step: (index) => trace.step(index),
    steps: () => trace.steps(),
    picture: (screenshot) => {
      const path = resolve(folder, screenshot);
      if (isAbsolute(screenshot) || !path.startsWith(folder + sep)) {
        const name = JSON.stringify(screenshot);
        throw new TraceError('trace_broken', `The screenshot ${name} is outside the run's folder.`);
      }
      return path;
    },
  };
}

/**
 * The trace of a run. A process that was killed between two attempts leaves a run without a trace or with an empty one: it
 * has no steps. Rejects with `TraceError`.
 */
async function traceOf(folder: string, isRunning: boolean): Promise<TraceFile> {
  const path = join(folder, TRACE);
  try {
    return await TraceFile.open(path);
  } catch (error) {
    const remains = [hasTrace(folder), kindAt(join(folder, RECORD)).then((kind) => kind !== 'absent')];
    // The process of a job that is in progress makes the next attempt.
    if (isRunning || (await Promise.all([isOwned(dirname(folder)), ...remains])).includes(true)) throw error;
    for (const earlier of await earlierAttempts(folder)) {
      if (await hasTrace(earlier)) return await TraceFile.withoutSteps(join(earlier, TRACE));
    }
    throw error;
  }
}

/** Whether a run has begun its trace, which may be unreadable. */
async function hasTrace(folder: string): Promise<boolean> {
  return await stat(join(folder, TRACE)).then(
    ({ size }) => size > 0,
    (error: unknown) => !isNotFound(error),
  );
}

/**
 * Deletes a run's folder, and its job's folder after the last run. Rejects with `TraceError` if the folder is not a run or
 * the run is in progress. `remove` deletes a folder or moves it to the trash, or leaves it if the user refuses.
 */
export async function deleteRun(
  traceDir: string,
  remove: (folder: string) => Promise<void> = (folder) => rm(folder, { recursive: true }),
): Promise<void> {
  const folder = resolve(traceDir);
  const trace = await lstat(join(folder, TRACE)).catch(nullIfNotFound);
  const isBetweenAttempts = trace === null && (await earlierAttempts(folder)).length > 0;
  if (!isBetweenAttempts && !trace?.isFile()) {
    throw new TraceError('trace_missing', `${folder} is not a run, because it has no trace.jsonl. It was not deleted.`);
  }
  const owner = (await ownerOf(folder)) ?? (isBetweenAttempts ? await ownerOf(dirname(folder)) : null);
  if (owner !== null) throw new TraceError('trace_running', `This run is in progress. ${adviceFor(owner)}`);
  await remove(folder);
  const job = dirname(folder);
  const remaining = await readdir(job, { withFileTypes: true });
  if (remaining.every((entry) => entry.isFile()) && !(await isOwned(job))) await rm(job, { recursive: true });
}

/** Names of the folders in a folder, without links and those that are being merged or removed: their names begin with a dot. */
export async function folders(root: string): Promise<string[]> {
  try {
    const entries = await readdir(root, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map(({ name }) => name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Reads `run.json`; null if it does not exist, because the run has not ended. Rejects with `TraceError` if it is damaged. */
export async function readRecord(folder: string): Promise<RunRecord | null> {
  const path = join(folder, RECORD);
  const content = await readOrdinaryFile(path).catch((error: unknown) => nullIfAbsent(error, path));
  return content && parseRecord(content, folder);
}

/** A record with its agent, which those of older versions do not name. */
export function withAgent(record: RunRecord, agent: string | null): RunRecord {
  return { ...record, agent: record.agent ?? agent };
}

/** As `readRecord`; see `readOrdinaryFileSync`. */
export function readRecordSync(folder: string): RunRecord | null {
  const path = join(folder, RECORD);
  let content: Buffer | null;
  try {
    content = readOrdinaryFileSync(path);
  } catch (error) {
    content = nullIfAbsent(error, path);
  }
  return content && parseRecord(content, folder);
}

function nullIfAbsent(error: unknown, path: string): null {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
  if (isSystemError(error) && error.code !== 'EISDIR') throw error;
  throw new TraceError('trace_broken', `${path} is damaged: ${describeSystemError(error)}`);
}

function parseRecord(content: Buffer, folder: string): RunRecord {
  const path = join(folder, RECORD);
  let json: unknown;
  try {
    json = parseJson(content.toString('utf8'));
  } catch (error) {
    throw new TraceError('trace_broken', `${path} is damaged: ${(error as Error).message}`);
  }
  const record = runRecordSchema.safeParse(json);
  if (!record.success) {
    const [issue] = record.error.issues;
    throw new TraceError('trace_broken', `${path} is damaged: ${issue?.path.join('.')}: ${issue?.message}`);
  }
  // The folder may have been moved.
  return { ...record.data, trace_dir: folder };
}

/** As `readRecord`, but returns the error for a damaged `run.json`, because the trace can still be read. */
async function readRecordIfWhole(folder: string) {
  try {
    return { record: await readRecord(folder), problem: null };
  } catch (problem) {
    if (!(problem instanceof TraceError)) throw problem;
    return { record: null, problem };
  }
}

/** The record of a run without a usable `run.json`, derived from its trace. */
async function interruptedRecord(folder: string, trace: TraceFile, problem: TraceError | null): Promise<RunRecord> {
  const { header } = trace;
  const startTime = Date.parse(header.started_at);
  let steps = 0;
  let end = startTime;
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
  const info = problem === null ? {} : { warning: `The grade of this run is unknown: ${problem.message}` };
  return {
    run_id: header.run_id,
    task_id: taskName(header.task),
    file: header.task.file,
    group_id: header.group_id,
    agent: header.agent,
    seed: header.seed,
    status: 'interrupted',
    reward: null,
    success: false,
    truncated: false,
    error: null,
    steps,
    duration_ms: Math.max(0, Math.round(end - startTime)),
    started_at: header.started_at,
    trace_dir: folder,
    prompt: header.prompt,
    grade: { reward: null, done, content, info, is_error: false, subscores },
  };
}
