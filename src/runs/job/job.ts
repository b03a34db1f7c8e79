import { rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Placement } from '../../placement/placement.ts';
import { describeSystemError, isSystemError, makeFolder } from '../../tasks/system-error.ts';
import type { RunListener } from '../run/events.ts';
import type { RunPlan } from '../run/plan.ts';
import { runTask } from '../run/runner.ts';
import { newJobId } from '../store/names.ts';
import { claim, isOwned, release } from '../store/owner.ts';
import { folders } from '../store/store.ts';
import type { RunRecord } from '../store/trace.ts';
import { type JobFile, type JobPlan, readJobFile, writeJobFile } from './job-file.ts';

/** A batch of runs on disk: `<root>/<job_id>/`. */
export interface Job {
  readonly id: string;
  readonly folder: string;
  readonly startedAt: string;
  /** What it consists of; null for a single run that was not planned. */
  readonly plan: JobPlan | null;
  /** Runs one task as part of this job. Never rejects for what the task does, see `runTask`. */
  run(
    plan: Omit<RunPlan, 'jobId' | 'out'>,
    placement: Placement,
    listen: RunListener,
    signal: AbortSignal,
  ): Promise<RunRecord>;
  /** Marks the job as finished. Rejects with `JobError` `job_unwritable` where that cannot be written. */
  end(): Promise<void>;
}

/** A job that cannot be written, or gone on with: why, and what to do. */
export class JobError extends Error {
  readonly code: 'job_missing' | 'job_running' | 'job_unplanned' | 'job_unwritable';
  constructor(code: JobError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'JobError';
    this.code = code;
  }
}

/** `<folder>/.taskwright/jobs`, where runs go by default. */
export function jobsFolder(folder: string): string {
  return join(folder, '.taskwright', 'jobs');
}

/**
 * Makes the folder of a new job. `root` is the folder of jobs: `jobsFolder(workspace folder)`, or one that the person
 * named. With `keepRuns` older finished jobs beyond the newest that together hold that many runs are removed first; a
 * person's own folder wants null. A job with a `plan` can be gone on with after its process was killed. Rejects with
 * `JobError` `job_unwritable` where the system refuses to write, and leaves nothing behind.
 */
export async function startJob(root: string, options: { keepRuns: number | null; plan?: JobPlan }): Promise<Job> {
  let made: string | undefined;
  try {
    made = await makeFolder(root);
    return await makeJob(root, options);
  } catch (error) {
    if (made !== undefined) await rm(made, { recursive: true, force: true });
    throw unwritable(`Runs cannot be recorded in ${root}`, error);
  }
}

async function makeJob(root: string, options: { keepRuns: number | null; plan?: JobPlan }): Promise<Job> {
  const ownFolder = dirname(root);
  if (basename(ownFolder) === '.taskwright') {
    await writeFile(join(ownFolder, '.gitignore'), '*\n', { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
  if (options.keepRuns !== null) await removeOldJobs(root, options.keepRuns);
  const id = newJobId();
  const folder = join(root, id);
  await makeFolder(folder);
  const { plan } = options;
  const file = { job_id: id, started_at: new Date().toISOString(), ended_at: null, ...(plan && { plan }) };
  try {
    return await begin(folder, file);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** What is wrong with a job's folder, for a person; what is no refusal of the system stays as it is. */
function unwritable(what: string, error: unknown): unknown {
  if (!isSystemError(error)) return error;
  return new JobError('job_unwritable', `${what}: ${describeSystemError(error)}.`, { cause: error });
}

/** Goes on with a job whose process was killed, or that was stopped. Throws `JobError`. */
export async function reopenJob(jobFolder: string): Promise<Job & { readonly plan: JobPlan }> {
  const folder = resolve(jobFolder);
  const file = await readJobFile(folder);
  if (file === null) throw new JobError('job_missing', `${folder} is no job: it holds no job.json that can be read.`);
  const { plan } = file;
  if (plan === undefined) {
    throw new JobError('job_unplanned', `${folder} is a single run, or older than jobs that can be gone on with.`);
  }
  if (await isOwned(folder)) throw new JobError('job_running', `${folder} still runs. Stop it first.`);
  const job = await begin(folder, { ...file, ended_at: null }).catch((error: unknown) => {
    throw unwritable(`Runs cannot be recorded in ${folder}`, error);
  });
  return { ...job, plan };
}

async function begin(folder: string, file: JobFile): Promise<Job> {
  await claim(folder);
  await writeJobFile(folder, file);
  const [root, id] = [dirname(folder), basename(folder)];
  return {
    id: file.job_id,
    folder,
    startedAt: file.started_at,
    plan: file.plan ?? null,
    run: (plan, placement, listen, signal) => runTask({ ...plan, jobId: id, out: root }, placement, listen, signal),
    end: async () => {
      // All its runs may have been deleted meanwhile, and the folder with the last of them.
      try {
        await makeFolder(folder);
        await writeJobFile(folder, { ...file, ended_at: new Date().toISOString() });
      } catch (error) {
        throw unwritable(`The end of the job cannot be recorded in ${folder}`, error);
      } finally {
        await release(folder);
      }
    },
  };
}

/** What cannot be asked for its owner is kept. */
async function mayRun(folder: string): Promise<boolean> {
  return await isOwned(folder).catch(() => true);
}

/** Removes whole finished jobs beyond the newest that together hold `keepRuns` runs. */
async function removeOldJobs(root: string, keepRuns: number): Promise<void> {
  const jobs: { folder: string; startedAt: string; runs: number; finished: boolean }[] = [];
  for (const name of await folders(root)) {
    const folder = join(root, name);
    const job = await readJobFile(folder);
    // What is not ours is left alone.
    if (job === null) continue;
    const runs = await folders(folder);
    let finished = job.ended_at !== null && !(await mayRun(folder));
    for (const run of runs) {
      if (!finished) break;
      // Kept where it is not known to have ended.
      const ended = await stat(join(folder, run, 'run.json')).catch(() => null);
      finished = ended !== null && !(await mayRun(join(folder, run)));
    }
    jobs.push({ folder, startedAt: job.started_at, runs: runs.length, finished });
  }
  jobs.sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1));
  let kept = 0;
  for (const job of jobs) {
    if (kept >= keepRuns && job.finished) await rm(job.folder, { recursive: true, force: true });
    else kept += job.runs;
  }
}
