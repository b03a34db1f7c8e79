import { rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { CodedError } from '../../base/coded-error.ts';
import { isNotFound, kindAt } from '../../base/file-kind.ts';
import { describeSystemError, isSystemError, makeFolder } from '../../base/system-error.ts';
import type { Placement } from '../../placement/placement.ts';
import { type JobFile, type JobPlan, readJobFile, writeJobFile } from '../../traces/job-file.ts';
import { newJobId } from '../../traces/names.ts';
import { adviceFor, claim, type Owner, ownerOf, release } from '../../traces/owner.ts';
import { folders } from '../../traces/store.ts';
import type { RunRecord } from '../../traces/trace.ts';
import type { RunListener } from '../events.ts';
import type { RunPlan } from '../run/plan.ts';
import { runTask } from '../run/runner.ts';
import { bytesIn, type FailedRemoval, type RemovedJobs, type Retention, removeOldJobs } from './retention.ts';

/** A batch of runs on disk: `<root>/<job_id>/`. */
export interface Job {
  readonly id: string;
  readonly folder: string;
  readonly startedAt: string;
  /** Null for a job without a plan. */
  readonly plan: JobPlan | null;
  /** The old jobs that were removed from the folder of jobs; null if none. Never rejects. `end` and `leave` wait for it. */
  readonly removal: Promise<RemovedJobs | FailedRemoval | null>;
  /** Runs one task as part of this job. Never rejects, see `runTask`. */
  run(
    plan: Omit<RunPlan, 'jobId' | 'out'>,
    placement: Placement,
    listen: RunListener,
    signal: AbortSignal,
  ): Promise<RunRecord>;
  /** Marks the job as finished. Rejects with `JobError` `job_unwritable` if that cannot be written. */
  end(): Promise<void>;
  /** Leaves the job to other processes, which make the runs that are left. */
  leave(): Promise<void>;
}

/** A job that can be resumed. */
export type PlannedJob = Job & { readonly plan: JobPlan };

/** A job that cannot be written, resumed, or merged. The message gives the reason and a remedy. */
export class JobError extends CodedError<
  | 'job_missing'
  | 'job_ambiguous'
  | 'job_elsewhere'
  | 'job_running'
  | 'job_unplanned'
  | 'job_unwritable'
  | 'job_exists'
  | 'plans_differ'
  | 'runs_differ'
  | 'run_unsafe'
> {
  override readonly name = 'JobError';
}

/** `<folder>/.taskwright/jobs`, the default folder of jobs. */
export function jobsFolder(folder: string): string {
  return join(folder, '.taskwright', 'jobs');
}

/**
 * Creates the folder of a new job in `root`: `jobsFolder(workspace folder)` or a folder of the user's choice. While it runs,
 * old jobs are removed as `retention` says; null removes none. A job with a `plan` can be resumed. Rejects with `JobError`
 * `job_unwritable` if the folder cannot be written, and leaves no files.
 */
export async function startJob(root: string, options: { retention: Retention | null; plan?: JobPlan }): Promise<Job> {
  let createdFolder: string | undefined;
  try {
    createdFolder = await makeFolder(root);
    return await makeJob(root, options);
  } catch (error) {
    if (createdFolder !== undefined) await rm(createdFolder, { recursive: true, force: true });
    throw unwritable(`Runs cannot be recorded in ${root}`, error);
  }
}

async function makeJob(root: string, options: { retention: Retention | null; plan?: JobPlan }): Promise<Job> {
  await ignoreJobs(root);
  const id = newJobId();
  const folder = join(root, id);
  await makeFolder(folder);
  const { plan, retention } = options;
  const file = { job_id: id, started_at: new Date().toISOString(), ended_at: null, ...(plan && { plan }) };
  try {
    const job = await begin(folder, file);
    if (retention === null) return job;
    const removal = removeOldJobs(root, retention, { except: id, now: Date.now() }).catch(
      // A failed removal must not fail the runs.
      (error: unknown): FailedRemoval => ({ failure: error instanceof Error ? error.message : String(error) }),
    );
    return after(removal, job);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Makes git ignore a folder of jobs in `.taskwright`. */
export async function ignoreJobs(root: string): Promise<void> {
  const ownFolder = dirname(root);
  if (basename(ownFolder) !== '.taskwright') return;
  await writeFile(join(ownFolder, '.gitignore'), '*\n', { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

/** The error for a job's folder that cannot be written. Other errors are returned as they are. */
export function unwritable(target: string, error: unknown): unknown {
  if (!isSystemError(error)) return error;
  return new JobError('job_unwritable', `${target}: ${describeSystemError(error)}.`, { cause: error });
}

/** The jobs in a folder: the folder itself, or those directly in it. Rejects with `JobError` `job_missing` if there are none. */
export async function jobsIn(folder: string): Promise<string[]> {
  if ((await readJobFile(folder)) !== null) return [folder];
  const names = await folders(folder).catch((error: unknown) => {
    if (isNotFound(error)) throw missing(folder);
    throw new JobError('job_missing', `${folder} cannot be read: ${describeSystemError(error)}.`, { cause: error });
  });
  const inside = names.sort().map((name) => join(folder, name));
  const files = await Promise.all(inside.map((one) => readJobFile(one)));
  const jobs = inside.filter((_, index) => files[index] !== null);
  if (jobs.length === 0) throw missing(folder);
  return jobs;
}

/** The only job in a folder, see `jobsIn`. Rejects with `JobError`. */
export async function jobIn(folder: string): Promise<string> {
  const [first = folder, ...more] = await jobsIn(folder);
  if (more.length === 0) return first;
  throw new JobError('job_ambiguous', `${folder} contains ${more.length + 1} jobs. Specify one, such as ${first}.`);
}

function missing(folder: string): JobError {
  return new JobError(
    'job_missing',
    `${folder} is not a job, because it has no readable job.json. Specify the folder of a job.`,
  );
}

function running(folder: string, owner: Owner | null): JobError {
  return new JobError('job_running', `${folder} is in progress. ${adviceFor(owner)}`);
}

/**
 * Opens a job to resume it. Rejects with `JobError`.
 *
 * @param cwd the folder that the files of a portable plan are relative to, if not the one in the plan
 */
export async function reopenJob(jobFolder: string, cwd?: string): Promise<PlannedJob> {
  const folder = resolve(jobFolder);
  const file = await readJobFile(folder, cwd);
  if (file === null) throw missing(folder);
  const { plan } = file;
  if (plan === undefined) {
    throw new JobError('job_unplanned', `${folder} has no plan, so it cannot be resumed. Start a new job.`);
  }
  const owner = await ownerOf(folder);
  if (owner !== null) throw running(folder, owner);
  if (plan.portable) await checkFiles(plan);
  const job = await begin(folder, { ...file, ended_at: null }).catch((error: unknown) => {
    throw unwritable(`Runs cannot be recorded in ${folder}`, error);
  });
  return { ...job, plan };
}

/** Deletes a job and its runs. Rejects with `JobError` if it is in progress. */
export async function deleteJob(jobFolder: string): Promise<void> {
  const folder = resolve(jobFolder);
  const owner = await ownerOf(folder);
  if (owner !== null) throw running(folder, owner);
  await rm(folder, { recursive: true });
}

/** Rejects with `JobError` `job_elsewhere` if no file of a plan exists. */
async function checkFiles(plan: JobPlan): Promise<void> {
  const files = new Set(plan.runs.map(({ file }) => file));
  for (const file of files) if ((await kindAt(file)) !== 'absent') return;
  const [first = ''] = files;
  throw new JobError(
    'job_elsewhere',
    `${first} does not exist. Run the command in the same folder as taskwright run --plan, or in the same folder of a copy.`,
  );
}

/** The job, whose process stays until old jobs are removed. */
function after(removal: Job['removal'], job: Job): Job {
  const waiting = (work: () => Promise<void>) => async (): Promise<void> => {
    try {
      await work();
    } finally {
      await removal;
    }
  };
  return { ...job, removal, end: waiting(job.end), leave: waiting(job.leave) };
}

async function begin(folder: string, { size_bytes: _, ...file }: JobFile): Promise<Job> {
  if (!(await claim(folder))) throw running(folder, await ownerOf(folder));
  await writeJobFile(folder, file).catch(async (error: unknown) => {
    await release(folder);
    throw error;
  });
  const [root, id] = [dirname(folder), basename(folder)];
  return {
    id: file.job_id,
    folder,
    startedAt: file.started_at,
    plan: file.plan ?? null,
    removal: Promise.resolve(null),
    run: (plan, placement, listen, signal) => runTask({ ...plan, jobId: id, out: root }, placement, listen, signal),
    end: async () => {
      // The user may have deleted all runs, and with the last of them the folder.
      try {
        const ended_at = new Date().toISOString();
        await makeFolder(folder);
        await writeJobFile(folder, { ...file, ended_at, size_bytes: await bytesIn(folder) });
      } catch (error) {
        throw unwritable(`The end of the job cannot be recorded in ${folder}`, error);
      } finally {
        await release(folder);
      }
    },
    leave: () => release(folder),
  };
}
