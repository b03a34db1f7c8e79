import { join, relative, resolve, sep } from 'node:path';
import * as z from 'zod';
import { readOrdinaryFile } from '../base/file-kind.ts';
import { parseJson } from '../base/parse-json.ts';
import { writeFileAtomically } from '../base/system-error.ts';
import { PLACEMENT_KINDS } from '../tasks/placement-kind.ts';
import { LIMIT_NAMES, LIMITS, type LimitName } from './limits.ts';
import { runErrorSchema } from './trace.ts';

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

const limitShape = Object.fromEntries(
  LIMIT_NAMES.map((name) => [name, (LIMITS[name].unit === 'steps' ? z.number().int() : z.number()).optional()]),
) as Readonly<Record<LimitName, z.ZodOptional<z.ZodNumber>>>;

const jobPlanSchema = z.object({
  /** Base of relative paths in agents. */
  cwd: z.string(),
  /**
   * Another machine can make runs of the plan: the paths of files in `job.json` are relative to `cwd`, with forward slashes.
   * In memory they are absolute.
   */
  portable: z.literal(true).optional(),
  ...limitShape,
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
  /** Bytes of its folder when it ended. Absent in jobs of older versions, and where it was not measured. */
  size_bytes: z.number().optional(),
  /** Absent in jobs of older versions and of other tools. */
  plan: jobPlanSchema.optional(),
});
/** `job.json` in a job's folder. */
export type JobFile = z.infer<typeof jobFileSchema>;

/**
 * Null if the folder is not a job.
 *
 * @param cwd the folder that the files of a portable plan are relative to, if not the one in the plan
 */
export async function readJobFile(folder: string, cwd?: string): Promise<JobFile | null> {
  try {
    const job = jobFileSchema.safeParse(parseJson((await readOrdinaryFile(join(folder, 'job.json'))).toString('utf8')));
    if (!job.success) return null;
    const { plan } = job.data;
    if (plan?.portable === undefined) return job.data;
    const base = cwd ?? plan.cwd;
    return { ...job.data, plan: { ...withFiles(plan, (file) => resolve(base, file)), cwd: base } };
  } catch {
    // Missing or damaged; callers that need it report that.
    return null;
  }
}

/** The time limit in ms that a job sets for every call; undefined if it sets none, or its file is missing or damaged. */
export async function evaluateTimeoutOf(folder: string): Promise<number | undefined> {
  return (await readJobFile(folder))?.plan?.evaluate_timeout_ms;
}

/** Writes `job.json` atomically. */
export async function writeJobFile(folder: string, job: JobFile): Promise<void> {
  const { plan } = job;
  const content = plan === undefined ? job : { ...job, plan: planOnDisk(plan) };
  await writeFileAtomically(join(folder, 'job.json'), `${JSON.stringify(content)}\n`);
}

/** Whether two plans are the same plan, apart from the folder that a portable plan is in. */
export function isSamePlan(one: JobPlan, other: JobPlan): boolean {
  const text = (plan: JobPlan): string =>
    JSON.stringify({ ...planOnDisk(plan), ...(plan.portable === undefined ? {} : { cwd: '' }) });
  return text(one) === text(other);
}

function planOnDisk(plan: JobPlan): JobPlan {
  return plan.portable === undefined ? plan : withFiles(plan, (file) => portablePath(file, plan.cwd));
}

/** A path relative to a folder, with forward slashes. Stays absolute on another drive of Windows. */
export function portablePath(path: string, folder: string): string {
  return relative(folder, path).split(sep).join('/');
}

function withFiles(plan: JobPlan, change: (file: string) => string): JobPlan {
  const runs = plan.runs.map((run) => {
    const error = run.error?.file === undefined ? run.error : { ...run.error, file: change(run.error.file) };
    return { ...run, file: change(run.file), error };
  });
  return { ...plan, runs };
}
