import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { PLACEMENT_KINDS } from '../../tasks/placement-kind.ts';
import { writeFileAtomically } from '../../tasks/system-error.ts';
import { runErrorSchema } from '../store/trace.ts';

/** One run that a job consists of, as it was planned before the first one began. */
const plannedRunSchema = z.object({
  /** Name of the run and of its folder in the job's. */
  run_id: z.string().regex(/^[\w-]+$/),
  file: z.string(),
  /** The task's id, or its index as a string. */
  task_id: z.string(),
  index: z.number().int(),
  /** Shared by the repeats of one task. */
  group_id: z.string(),
  seed: z.number().int(),
  /** As it was asked for; paths are absolute or start from `cwd`. Null where the task is refused. */
  agent: z.string().nullable(),
  placement: z.enum(PLACEMENT_KINDS),
  /** Why the task is refused; null where it runs. */
  error: runErrorSchema.nullable(),
});
export type PlannedRun = z.infer<typeof plannedRunSchema>;

const jobPlanSchema = z.object({
  /** What an agent's relative path starts from. */
  cwd: z.string(),
  max_steps: z.number().int().optional(),
  evaluate_timeout_ms: z.number().optional(),
  timeout_ms: z.number().optional(),
  /** What is typed into password fields is masked. */
  mask: z.boolean().optional(),
  /** Task by task, the repeats of each one after the other. */
  runs: z.array(plannedRunSchema),
});
/** What a job is to do: enough to go on with it after its process was killed. */
export type JobPlan = z.infer<typeof jobPlanSchema>;

const jobFileSchema = z.object({
  job_id: z.string(),
  started_at: z.string(),
  /** Null while it runs; stays null where its process was killed. */
  ended_at: z.string().nullable(),
  /** Absent where the job is a single run of the editor. */
  plan: jobPlanSchema.optional(),
});
/** `job.json` in a job's folder. */
export type JobFile = z.infer<typeof jobFileSchema>;

/** Null where the folder is no job of ours. */
export async function readJobFile(folder: string): Promise<JobFile | null> {
  try {
    const job = jobFileSchema.safeParse(JSON.parse(await readFile(join(folder, 'job.json'), 'utf8')));
    return job.success ? job.data : null;
  } catch {
    // Not there, or not of our making: whoever needs it says that it cannot be read.
    return null;
  }
}

/** Appears whole or not at all. */
export async function writeJobFile(folder: string, job: JobFile): Promise<void> {
  await writeFileAtomically(join(folder, 'job.json'), `${JSON.stringify(job)}\n`);
}
