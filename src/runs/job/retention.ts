import { lstat, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as l10n from '@vscode/l10n';
import { mapAtMost } from '../../base/map-at-most.ts';
import { nullIfSystemError } from '../../base/system-error.ts';
import { type JobFile, readJobFile } from '../../traces/job-file.ts';
import { claim, isOwned, release } from '../../traces/owner.ts';
import { AT_ONCE, folders, readRecord, TRACE } from '../../traces/store.ts';
import type { RunRecord } from '../../traces/trace.ts';
import { readHeader } from '../../traces/trace-file.ts';
import { isSolutionAgent } from '../solutions/solution-agent.ts';

/** How long finished jobs stay in a folder of jobs. */
export interface Retention {
  /** Jobs that ended longer ago are removed. */
  readonly keepDays: number;
  /** The oldest jobs are removed until the folder is not larger. */
  readonly keepBytes: number;
}

export const GIGABYTE = 1000 ** 3;
export const DEFAULT_RETENTION: Retention = { keepDays: 30, keepBytes: 5 * GIGABYTE };

/** What was removed, and why. */
export interface RemovedJobs {
  readonly jobs: number;
  /** The runs in these jobs. */
  readonly runs: number;
  readonly bytes: number;
  /** The jobs that were too old. The others were the oldest of a folder that was too large. */
  readonly tooOld: number;
  readonly retention: Retention;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Why the search for old jobs failed. */
export interface FailedRemoval {
  readonly failure: string;
}

/** Begins the name of a folder that is being removed. `folders` leaves such names out. */
const REMOVING = '.removing-';

/** A folder in the folder of jobs, which may be a job's. */
interface JobFolder {
  readonly folder: string;
  /** As in `job.json`; null if the job has not ended, or that cannot be read. */
  readonly endedAt: string | null;
  readonly bytes: number;
}

/** A job whose runs were read. */
interface ReadJob extends JobFolder {
  /** The runs whose `run.json` can be read. */
  readonly runs: readonly ReadRun[];
  /** It has ended, and no process works on its runs. Claiming the job shows whether a process works on the job itself. */
  readonly finished: boolean;
}

interface ReadRun extends Pick<RunRecord, 'file' | 'task_id' | 'success' | 'edited' | 'kept' | 'started_at'> {
  readonly traceDir: string;
  /** The agent is the task's solution. */
  readonly ofSolution: boolean;
}

/**
 * Removes finished jobs that are too old, and the oldest until the folder is small enough. A job stays whole, because its
 * figures are about all its runs: it is not removed if one of its runs has to stay (see `jobsToKeep`). Resolves with null if
 * nothing was removed. What cannot be read or removed, such as a job of another user, stays.
 *
 * @param root folder of jobs
 * @param except the name of a job that is neither removed nor measured, because it is being made
 * @param now in milliseconds since 1970
 */
export async function removeOldJobs(
  root: string,
  retention: Retention,
  { except, now }: { readonly except: string; readonly now: number },
): Promise<RemovedJobs | null> {
  await clearLeftovers(root, now);
  const names = (await folders(root)).filter((name) => name !== except);
  const jobFolders = await mapAtMost(AT_ONCE, names, (name) => measure(join(root, name)));
  const isTooOld = ({ endedAt }: JobFolder): boolean => now - timeOf(endedAt) > retention.keepDays * DAY_MS;
  const isTooLarge = sum(jobFolders.map(({ bytes }) => bytes)) > retention.keepBytes;
  if (!isTooLarge && !jobFolders.some(isTooOld)) return null;

  const jobs = (await mapAtMost(AT_ONCE, jobFolders, (one) => read(one, dirname(dirname(root))))).filter(
    (job) => job !== null,
  );
  const staying = jobsToKeep(jobs);
  const candidates = jobs
    .filter(({ folder, finished }) => finished && !staying.has(folder))
    .sort((a, b) => timeOf(a.endedAt) - timeOf(b.endedAt));
  const removal = { jobs: 0, runs: 0, bytes: 0, tooOld: 0, retention };
  const remove = async (job: ReadJob): Promise<number> => {
    const bytes = await bytesIn(job.folder);
    if (!(await removeJob(job))) return 0;
    removal.jobs += 1;
    removal.runs += job.runs.length;
    removal.bytes += bytes;
    return bytes;
  };
  const oldJobs = candidates.filter(isTooOld);
  for (const job of oldJobs) await remove(job);
  removal.tooOld = removal.jobs;
  const others = candidates.filter((job) => !isTooOld(job));
  if (isTooLarge && others.length > 0) {
    // What the jobs recorded of their size may be out of date: the user can delete runs.
    const sizes = await mapAtMost(1, jobFolders, ({ folder }) => bytesIn(folder));
    let excess = sum(sizes) - retention.keepBytes;
    for (const job of others) {
      if (excess <= 0) break;
      excess -= await remove(job);
    }
  }
  return removal.jobs === 0 ? null : removal;
}

/** One line about removed jobs. */
export function describeRemoval(removal: RemovedJobs | FailedRemoval): string {
  if ('failure' in removal) {
    return l10n.t('Old jobs could not be removed from .taskwright/jobs: {0}', removal.failure);
  }
  const { jobs, runs, bytes, tooOld, retention } = removal;
  const formatCount = (count: number): string => count.toLocaleString('en-US');
  const job = jobs === 1 ? l10n.t('1 job') : l10n.t('{0} jobs', formatCount(jobs));
  const run = runs === 1 ? l10n.t('1 run') : l10n.t('{0} runs', formatCount(runs));
  const days = retention.keepDays === 1 ? l10n.t('1 day') : l10n.t('{0} days', formatCount(retention.keepDays));
  const limit = sizeText(retention.keepBytes);
  const summary = l10n.t('Removed {0} with {1} ({2}) from .taskwright/jobs', job, run, sizeText(bytes));
  const oldest = jobs - tooOld;
  if (oldest === 0) {
    return `${summary}: ${jobs === 1 ? l10n.t('it was older than {0}', days) : l10n.t('they were older than {0}', days)}.`;
  }
  if (tooOld === 0) {
    const why =
      jobs === 1
        ? l10n.t('it was the oldest when the folder exceeded {0}', limit)
        : l10n.t('they were the oldest when the folder exceeded {0}', limit);
    return `${summary}: ${why}.`;
  }
  const oldPart =
    tooOld === 1 ? l10n.t('1 was older than {0}', days) : l10n.t('{0} were older than {1}', formatCount(tooOld), days);
  const large =
    oldest === 1
      ? l10n.t('1 was the oldest when the folder exceeded {0}', limit)
      : l10n.t('{0} were the oldest when the folder exceeded {1}', formatCount(oldest), limit);
  return `${summary}: ${l10n.t('{0}, and {1}', oldPart, large)}.`;
}

/** `820 KB`, `1.2 GB`: units of 1000. */
function sizeText(bytes: number): string {
  const units = ['KB', 'MB', 'GB', 'TB'];
  let value = bytes / 1000;
  let unit = units.shift() ?? '';
  // 999.5 would be shown as 1000.
  while (value >= 999.5 && units.length > 0) {
    value /= 1000;
    unit = units.shift() ?? '';
  }
  const digits = value < 10 ? 1 : 0;
  return `${value.toFixed(digits).replace(/\.0$/, '')} ${unit}`;
}

/** Bytes of the files in a folder. What is removed meanwhile, or cannot be read, does not count. Links are not followed. */
export async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(nullIfSystemError);
  const files = (entries ?? []).filter((entry) => !entry.isDirectory());
  const sizes = await mapAtMost(AT_ONCE, files, async ({ parentPath, name }) => {
    return (await lstat(join(parentPath, name)).catch(nullIfSystemError))?.size ?? 0;
  });
  return sum(sizes);
}

async function measure(folder: string): Promise<JobFolder> {
  const file = await readJobFile(folder);
  const endedAt = file?.ended_at ?? null;
  const recordedSize = endedAt !== null && (await isUntouched(folder)) ? file?.size_bytes : undefined;
  return { folder, endedAt, bytes: recordedSize ?? (await bytesIn(folder)) };
}

/** How long after `job.json` the owner of a job is released, and with it the job's folder changes, in ms. */
const RELEASE_MS = 2_000;

/** Whether nothing was added to the folders of a job and its runs since it ended. */
async function isUntouched(folder: string): Promise<boolean> {
  const names = (await folders(folder).catch(nullIfSystemError)) ?? [];
  const paths = [join(folder, 'job.json'), folder, ...names.map((name) => join(folder, name))];
  const [jobFileTime = 0, ...folderTimes] = await mapAtMost(
    AT_ONCE,
    paths,
    async (path) => (await lstat(path).catch(nullIfSystemError))?.mtimeMs ?? Number.POSITIVE_INFINITY,
  );
  return folderTimes.every((time) => time <= jobFileTime + RELEASE_MS);
}

/** In milliseconds since 1970; NaN if the time is unknown. */
function timeOf(endedAt: string | null): number {
  return Date.parse(endedAt ?? '');
}

/** Null if it is not a job. `workspace`: base of relative paths in agents of jobs without a plan. */
async function read(jobFolder: JobFolder, workspace: string): Promise<ReadJob | null> {
  const { folder, endedAt } = jobFolder;
  const file = await readJobFile(folder);
  if (file === null) return null;
  const { runs, ended } = await readRuns(folder, file, workspace);
  return { ...jobFolder, runs, finished: ended && !Number.isNaN(timeOf(endedAt)) };
}

/** The recorded runs of a job, and whether they are complete and no process works on them. */
async function readRuns(folder: string, file: JobFile, workspace: string) {
  const names = await folders(folder).catch(nullIfSystemError);
  const agents = new Map(file.plan?.runs.map(({ run_id, agent }) => [run_id, agent]));
  const cwd = file.plan?.cwd ?? workspace;
  const runs: ReadRun[] = [];
  const present = new Set(names);
  // A job without some of its planned runs, or with one that was cancelled, can be resumed.
  let hasEnded = file.plan?.runs.every(({ run_id, error }) => error !== null || present.has(run_id)) ?? names !== null;
  for (const name of present) {
    const traceDir = join(folder, name);
    // A record that cannot be read may be that of any run.
    const record = await readRecord(traceDir).catch(() => null);
    hasEnded &&= record !== null && !(await mayRun(traceDir));
    if (record === null) continue;
    const agent = record.success ? (record.agent ?? agents.get(name) ?? (await agentIn(traceDir))) : null;
    const ofSolution = agent !== null && isSolutionAgent(agent, record, cwd);
    // Without the prompt and the grade: there may be tens of thousands of runs.
    const { file: taskFile, task_id, success, edited, kept, started_at, status } = record;
    hasEnded &&= status !== 'cancelled' || present.size === 1;
    runs.push({ traceDir, file: taskFile, task_id, success, edited, kept, started_at, ofSolution });
  }
  return { runs, ended: hasEnded };
}

/** The agent of a run of a job without a plan; null if its trace cannot be read. */
async function agentIn(traceDir: string): Promise<string | null> {
  return await readHeader(join(traceDir, TRACE)).then(
    ({ agent }) => agent,
    () => null,
  );
}

/** Whether the folder may be in progress, including when its owner cannot be read. */
async function mayRun(folder: string): Promise<boolean> {
  return await isOwned(folder).catch(() => true);
}

/**
 * The folders of jobs with a run that stays: one that the user keeps, or of a task its last run, its last success, and the
 * last success of its solution. Runs that were edited in the debugger do not count as one of the last three. Neither does a
 * run that cannot be read, so that an older one is kept instead.
 */
function jobsToKeep(jobs: readonly ReadJob[]): ReadonlySet<string> {
  const all = jobs.flatMap(({ folder, runs }) => runs.map((run) => ({ ...run, folder })));
  const newestFirst = all.sort((a, b) => compare(b.started_at, a.started_at) || compare(b.traceDir, a.traceDir));
  const staying = new Set<string>();
  const keptKeys = new Set<string>();
  for (const { folder, ofSolution, ...record } of newestFirst) {
    if (record.kept) staying.add(folder);
    if (record.edited) continue;
    const merits = ['last', ...(record.success ? ['success'] : []), ...(record.success && ofSolution ? ['proof'] : [])];
    for (const merit of merits) {
      const key = `${merit} ${record.file}#${record.task_id}`;
      if (!keptKeys.has(key)) staying.add(folder);
      keptKeys.add(key);
    }
  }
  return staying;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Removes one job; false if it stays. It is claimed first, so that no process resumes it meanwhile, and then renamed,
 * so that no reader sees a part of it.
 */
async function removeJob({ folder, endedAt }: ReadJob): Promise<boolean> {
  const removing = join(dirname(folder), REMOVING + basename(folder));
  if ((await claim(folder).catch(nullIfSystemError)) !== true) return false;
  if ((await isUnchanged(folder, endedAt)) && (await done(rename(folder, removing)))) {
    if (await done(rm(removing, { recursive: true, force: true }))) return true;
    await done(rename(removing, folder));
  }
  await done(release(folder));
  return false;
}

/** False if the operating system rejected an operation. */
async function done(operation: Promise<void>): Promise<boolean> {
  return (await operation.then(() => true).catch(nullIfSystemError)) ?? false;
}

/** Whether a claimed job is unchanged since it was read: it was not resumed, and none of its runs was kept. */
async function isUnchanged(folder: string, endedAt: string | null): Promise<boolean> {
  const file = await readJobFile(folder);
  if (file === null || file.ended_at !== endedAt) return false;
  const { runs, ended } = await readRuns(folder, file, folder);
  return ended && !runs.some(({ kept }) => kept);
}

/** Removes what a process left that was killed while it removed a job. A live process may need a while for the removal. */
async function clearLeftovers(root: string, now: number): Promise<void> {
  const names = await readdir(root);
  for (const name of names.filter((one) => one.startsWith(REMOVING))) {
    const folder = join(root, name);
    const { mtimeMs } = (await lstat(folder).catch(nullIfSystemError)) ?? { mtimeMs: now };
    if (now - mtimeMs < LEFT_MS || (await mayRun(folder))) continue;
    await done(rm(folder, { recursive: true, force: true }));
  }
}

/** After this time, no process is still removing a folder. */
const LEFT_MS = 60 * 60 * 1000;

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
