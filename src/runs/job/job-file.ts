import { join } from 'node:path';
import * as z from 'zod';
import { readOrdinaryFile } from '../../tasks/file-kind.ts';
import { parseJson } from '../../tasks/parse-json.ts';
import { PLACEMENT_KINDS } from '../../tasks/placement-kind.ts';
import { writeFileAtomically } from '../../tasks/system-error.ts';
import { runErrorSchema } from '../store/trace.ts';

/** One run of a job, as planned before the job started. */
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
  /** As the user wrote it; relative paths start from `cwd`. Null if the task cannot run. */
  agent: z.string().nullable(),
  placement: z.enum(PLACEMENT_KINDS),
  /** Why the task cannot run; null if it can. */
  error: runErrorSchema.nullable(),
});
export type PlannedRun = z.infer<typeof plannedRunSchema>;

const jobPlanSchema = z.object({
  /** Base of relative paths in agents. */
  cwd: z.string(),
  max_steps: z.number().int().optional(),
  evaluate_timeout_ms: z.number().optional(),
  timeout_ms: z.number().optional(),
  /** Text typed into password fields is masked. */
  mask: z.boolean().optional(),
  /** Task by task, with the repeats of each task next to each other. */
  runs: z.array(plannedRunSchema),
});
/** The plan of a job: enough to resume it after its process was killed. */
export type JobPlan = z.infer<typeof jobPlanSchema>;

const jobFileSchema = z.object({
  job_id: z.string(),
  started_at: z.string(),
  /** Null while the job is in progress, and if its process was killed. */
  ended_at: z.string().nullable(),
  /** Absent in jobs of older versions and of other tools. */
  plan: jobPlanSchema.optional(),
});
/** `job.json` in a job's folder. */
export type JobFile = z.infer<typeof jobFileSchema>;

/** Null if the folder is not a job. */
export async function readJobFile(folder: string): Promise<JobFile | null> {
  try {
    const job = jobFileSchema.safeParse(parseJson((await readOrdinaryFile(join(folder, 'job.json'))).toString('utf8')));
    return job.success ? job.data : null;
  } catch {
    // Missing or damaged; callers that need it report that.
    return null;
  }
}

/** Writes `job.json` atomically. */
export async function writeJobFile(folder: string, job: JobFile): Promise<void> {
  await writeFileAtomically(join(folder, 'job.json'), `${JSON.stringify(job)}\n`);
}
