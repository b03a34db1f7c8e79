import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import type { Placement } from '../placement/placement.ts';
import type { RunListener } from './events.ts';
import { newJobId } from './names.ts';
import { isOwned } from './owner.ts';
import type { RunPlan } from './plan.ts';
import { runTask } from './runner.ts';
import { folders } from './store.ts';
import type { RunRecord } from './trace.ts';

const jobSchema = z.object({
  job_id: z.string(),
  started_at: z.string(),
  /** Null while it runs; stays null where its process was killed. */
  ended_at: z.string().nullable(),
});

/** A batch of runs on disk: `<root>/<job_id>/`. */
export interface Job {
  readonly id: string;
  readonly folder: string;
  /** Runs one task as part of this job. Never rejects for what the task does, see `runTask`. */
  run(
    plan: Omit<RunPlan, 'jobId' | 'out'>,
    placement: Placement,
    listen: RunListener,
    signal: AbortSignal,
  ): Promise<RunRecord>;
  /** Marks the job as finished. */
  end(): Promise<void>;
}

/** `<folder>/.taskwright/jobs`, where runs go by default. */
export function jobsFolder(folder: string): string {
  return join(folder, '.taskwright', 'jobs');
}

/**
 * Makes the folder of a new job. `root` is the folder of jobs: `jobsFolder(workspace folder)`, or one that the person
 * named. With `keepRuns` older finished jobs beyond the newest that together hold that many runs are removed first; a
 * person's own folder wants null.
 */
export async function startJob(root: string, options: { keepRuns: number | null }): Promise<Job> {
  const ownFolder = dirname(root);
  if (basename(ownFolder) === '.taskwright') {
    await mkdir(ownFolder, { recursive: true });
    await writeFile(join(ownFolder, '.gitignore'), '*\n', { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
  if (options.keepRuns !== null) await removeOldJobs(root, options.keepRuns);
  const id = newJobId();
  const folder = join(root, id);
  await mkdir(folder, { recursive: true });
  const started_at = new Date().toISOString();
  await writeJob(folder, { job_id: id, started_at, ended_at: null });
  return {
    id,
    folder,
    run: (plan, placement, listen, signal) => runTask({ ...plan, jobId: id, out: root }, placement, listen, signal),
    end: async () => {
      // All its runs may have been deleted meanwhile, and the folder with the last of them.
      await mkdir(folder, { recursive: true });
      await writeJob(folder, { job_id: id, started_at, ended_at: new Date().toISOString() });
    },
  };
}

async function writeJob(folder: string, job: z.infer<typeof jobSchema>): Promise<void> {
  const path = join(folder, 'job.json');
  await writeFile(`${path}.part`, `${JSON.stringify(job)}\n`);
  await rename(`${path}.part`, path);
}

/** Removes whole finished jobs beyond the newest that together hold `keepRuns` runs. */
async function removeOldJobs(root: string, keepRuns: number): Promise<void> {
  const jobs: { folder: string; startedAt: string; runs: number; finished: boolean }[] = [];
  for (const name of await folders(root)) {
    const folder = join(root, name);
    const job = await readJob(folder);
    // What is not ours is left alone.
    if (job === null) continue;
    const runs = await folders(folder);
    let finished = job.ended_at !== null;
    for (const run of runs) {
      if (!finished) break;
      const ended = await stat(join(folder, run, 'run.json')).catch(() => null);
      finished = ended !== null && !(await isOwned(join(folder, run)));
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

async function readJob(folder: string): Promise<z.infer<typeof jobSchema> | null> {
  try {
    const job = jobSchema.safeParse(JSON.parse(await readFile(join(folder, 'job.json'), 'utf8')));
    return job.success ? job.data : null;
  } catch {
    return null;
  }
}
