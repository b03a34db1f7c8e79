import * as z from 'zod';
import { jsonSchema } from '../../../../base/json-validator.ts';
import { gradeSchema } from './grade.ts';
import { objectSchema, orNull, promptMessageSchema } from './messages.ts';
import { traceSchema } from './trace.ts';

const text = orNull(z.string());

/** One try at one task: the public attributes and properties of HUD's `Run`, except its connections. */
export const runSchema = z
  .strictObject({
    task_id: z.string(),
    slug: text,
    prompt: orNull(z.union([z.string(), z.array(jsonSchema)])),
    prompt_messages: z.array(promptMessageSchema).default([]),
    prompt_text: z.string().default(''),
    bindings: objectSchema.default({}),
    trace: traceSchema,
    grade: gradeSchema,
    reward: z.number().describe('`grade.reward`.'),
    evaluation: objectSchema.default({}).describe('`grade.evaluation`.'),
    runtime: text.describe('Address of the environment.'),
    runtime_config: orNull(objectSchema),
    trace_id: text,
    job_id: text,
    group_id: text.describe('Shared by the repeats of a task.'),
  })
  .meta({ id: 'Run', description: 'One try at one task.' });

export const jobSchema = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    runs: z.array(runSchema).default([]),
    group: z.int().default(1).describe('Number of runs of each task.'),
    taskset_id: text,
  })
  .meta({ id: 'Job', description: 'Runs that were started together.' });

/** What HUD's training functions read of a run. */
export const rewardedSchema = z
  .object({ trace_id: z.string().nullable(), reward: z.number() })
  .meta({ id: 'Rewarded', description: 'A run with a reward.' });
