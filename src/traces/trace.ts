import * as z from 'zod';
import { actionInputSchema } from '../actions/action.ts';
import { jsonSchema } from '../base/json-validator.ts';
import { dialogSchema } from '../environments/dialog.ts';
import { RUN_STATUSES } from '../results/status.ts';
import { callSchema, rangeSchema, taskSchema } from '../tasks/task.ts';
import { modelTurnSchema } from './model-turn.ts';
import { RECORDED } from './origin.ts';

export const TRACE_FORMAT = 'taskwright.trace';
export const TRACE_VERSION = 1;

/** First line of `trace.jsonl`. */
export const traceHeaderSchema = z.object({
  format: z.literal(TRACE_FORMAT),
  version: z.number().int(),
  run_id: z.string(),
  job_id: z.string(),
  group_id: z.string(),
  trace_id: z.string(),
  task: taskSchema,
  prompt: z.string(),
  seed: z.number().int(),
  /** The agent as the user wrote it: `replay:/path/login.actions`. */
  agent: z.string(),
  /** The placement: `local` or `docker`. */
  runtime: z.string(),
  started_at: z.string(),
  /** `recorded`, or the format of the file that the run was imported from. Absent in traces of older versions. */
  origin: z.string().default(RECORDED),
  /** The run was started in a debugger. */
  debugged: z.literal(true).optional(),
});
export type TraceHeader = z.infer<typeof traceHeaderSchema>;

const failureSchema = z.object({ message: z.string(), code: z.string() });

/** One line of `trace.jsonl` after the header; names as in HUD's `Step` where HUD has them. */
export const stepSchema = z.object({
  index: z.number().int().min(0),
  source: z.enum(['setup', 'agent', 'tool', 'subagent', 'evaluate', 'system']),
  started_at: z.string(),
  duration_ms: z.number(),
  /** The agent's answer: one action or a list; absent if it has none. Only for source `agent`. */
  action: z.union([actionInputSchema, z.array(actionInputSchema)]).optional(),
  /** What a model said with it, or instead of it. */
  turn: modelTurnSchema.exactOptional(),
  /** The function call. Only for sources `setup` and `evaluate`. */
  call: callSchema.optional(),
  /** `screenshot` is a path relative to the run's folder: `screens/<sha256>.png`. */
  observation: z
    .object({
      text: z.string().nullable(),
      screenshot: z.string().nullable(),
      data: jsonSchema.exactOptional(),
      dialog: dialogSchema.exactOptional(),
    })
    .nullable(),
  /** Source `agent`: the environment's own reward. Source `evaluate`: the call's value. */
  reward: z.number().nullable(),
  terminated: z.boolean(),
  /** `StepInfo` of the environment; `reason` for evaluate calls. */
  info: z.record(z.string(), jsonSchema),
  error: failureSchema.nullable(),
});
export type Step = z.infer<typeof stepSchema>;

export const runErrorSchema = z.object({
  message: z.string(),
  code: z.string(),
  file: z.string().optional(),
  range: rangeSchema.optional(),
  call: callSchema.optional(),
});
export type RunError = z.infer<typeof runErrorSchema>;

/** One run, as the command line prints it. */
export const runSchema = z.object({
  run_id: z.string(),
  task_id: z.string(),
  file: z.string(),
  group_id: z.string(),
  /** The agent as the user wrote it; null if the task had none, or if an older version recorded the run. */
  agent: z.string().nullable().default(null),
  seed: z.number().int(),
  status: z.enum(RUN_STATUSES),
  reward: z.number().nullable(),
  success: z.boolean(),
  truncated: z.boolean(),
  error: runErrorSchema.nullable(),
  /** Number of lines with source `agent`. */
  steps: z.number().int(),
  duration_ms: z.number(),
  started_at: z.string(),
  trace_dir: z.string().nullable(),
  /** The host that its environment was on, as the user named it, if there were several. */
  host: z.string().optional(),
  /** The run was paused in a debugger. */
  debugged: z.literal(true).optional(),
  /**
   * A value, argument, response, or page was changed by hand in the debugger. The run counts in no statistics, and is never
   * the last run of its task.
   */
  edited: z.literal(true).optional(),
  /** The user keeps the run: its job is not removed when it is old. */
  kept: z.literal(true).optional(),
});
export type Run = z.infer<typeof runSchema>;

/** How the reward was computed; field names as in HUD 0.6's `Grade`. */
export const gradeSchema = z.object({
  reward: z.number().nullable(),
  done: z.boolean(),
  content: z.string().nullable(),
  info: z.record(z.string(), jsonSchema),
  is_error: z.boolean(),
  subscores: z.array(
    z.object({
      name: z.string(),
      value: z.number().nullable(),
      weight: z.number(),
      reason: z.string(),
      range: rangeSchema,
      /** The parts of a composed value, such as the tests of a report. */
      parts: z.array(z.object({ name: z.string(), value: z.number(), reason: z.string() })).optional(),
    }),
  ),
});
export type Grade = z.infer<typeof gradeSchema>;

/** `run.json`, written at the end by renaming. `keepRun` replaces it. */
export const runRecordSchema = runSchema.extend({
  prompt: z.string(),
  grade: gradeSchema,
  /** The reward is 0 by the agent's fault, not by the verdict of a function. */
  blame: z.literal('agent').optional(),
  /**
   * Errors of earlier attempts, oldest first: their environment failed. Absent if the first attempt counts. Their traces are
   * in `attempts/1`, `attempts/2`, … of the run's folder.
   */
  retried: z.array(failureSchema).optional(),
});
export type RunRecord = z.infer<typeof runRecordSchema>;
