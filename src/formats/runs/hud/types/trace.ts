import * as z from 'zod';
import { jsonSchema } from '../../../../base/json-validator.ts';
import { citationSchema } from './grade.ts';
import { objectSchema, orNull, promptMessageSchema, toolCallSchema, toolResultSchema } from './messages.ts';

const text = orNull(z.string());
const integer = orNull(z.int());
/** HUD writes null for numbers that are not finite. */
export const finiteOrNull = z.number().nullable();

/** The call of the task that a `task` step records: `setup` is `tasks.start`, `evaluate` is `tasks.grade`. */
export const taskCallSchema = z
  .object({
    phase: z.enum(['setup', 'evaluate']),
    name: z.string().describe('Id of the task.'),
    arguments: jsonSchema.default(null),
    result: jsonSchema.default(null),
  })
  .meta({ id: 'TaskCall', description: 'Start or evaluation of a task.' });

/** What every step has, in the order in which HUD writes it. */
export function stepFields<Source extends z.ZodType>(source: Source) {
  return {
    step_id: integer.describe('Position in the trace, starting at 1.'),
    source,
    messages: z.array(promptMessageSchema).default([]),
    task_call: orNull(taskCallSchema),
    error: text.describe('The step failed.'),
    started_at: text.describe('ISO 8601.'),
    ended_at: text.describe('ISO 8601.'),
    extra: objectSchema.default({}),
  };
}

export const usageSchema = z
  .object({
    prompt_tokens: integer,
    completion_tokens: integer,
    cached_tokens: integer,
    cost_usd: orNull(z.number()),
    llm_call_count: integer.describe('Number of model calls, if it is not one.'),
  })
  .meta({ id: 'Usage', description: 'Token usage and cost of a step.' });

export const sampleSchema = z
  .object({
    prompt_token_ids: z.array(z.int()).default([]),
    prompt_chunks: orNull(z.array(objectSchema)).describe('A prompt with pictures.'),
    output_token_ids: z.array(z.int()).default([]),
    output_logprobs: z.array(finiteOrNull).default([]),
  })
  .meta({ id: 'Sample', description: 'Tokens of a model call, for training.' });

export const taskStepSchema = z
  .strictObject(stepFields(z.literal('task')))
  .meta({ id: 'TaskStep', description: 'Start or evaluation of the task.' });

export const userStepSchema = z
  .strictObject(stepFields(z.literal('user')))
  .meta({ id: 'UserStep', description: 'The prompt.' });

export const systemStepSchema = z
  .strictObject(stepFields(z.literal('system')))
  .meta({ id: 'SystemStep', description: 'A message of the program that runs the task, such as an error.' });

export const agentStepSchema = z
  .strictObject({
    ...stepFields(z.literal('agent').default('agent')),
    content: text,
    reasoning: text,
    tool_calls: z.array(toolCallSchema).default([]),
    done: z.boolean().default(false).describe('The agent makes no further calls. `content` is its answer.'),
    finish_reason: text,
    stop_reason: orNull(z.enum(['length', 'malformed_tool_call'])),
    refusal: text,
    citations: z.array(citationSchema).default([]),
    raw: jsonSchema.default(null).describe("The provider's response."),
    model: text,
    usage: orNull(usageSchema),
    sample: orNull(sampleSchema),
  })
  .meta({ id: 'AgentStep', description: 'One turn of the model.' });
export type AgentStep = z.infer<typeof agentStepSchema>;

/** A tool call with its result. `error` is a failure of the program, `result.isError` one of the tool. */
export const toolStepSchema = z
  .strictObject({
    ...stepFields(z.literal('tool').default('tool')),
    call: orNull(toolCallSchema),
    result: orNull(toolResultSchema),
  })
  .meta({ id: 'ToolStep', description: 'A tool call with its result.' });
export type ToolStep = z.infer<typeof toolStepSchema>;

export const subagentStepSchema = z
  .strictObject({
    ...stepFields(z.literal('subagent').default('subagent')),
    get subagent(): z.ZodType<Trace> {
      return traceSchema;
    },
  })
  .meta({ id: 'SubagentStep', description: 'A run of another agent, with its own trace.' });

/** The values of `source` of a step. */
export const STEP_SOURCES: readonly string[] = ['agent', 'tool', 'subagent', 'task', 'user', 'system'];

/** A step of any kind. `source` determines the kind. */
export const stepSchema = z
  .discriminatedUnion(
    'source',
    [agentStepSchema, toolStepSchema, subagentStepSchema, taskStepSchema, userStepSchema, systemStepSchema],
    { error: (issue) => (issue.code === 'invalid_union' ? 'not a source of a step' : undefined) },
  )
  .meta({ id: 'Step', description: 'A step of a run.' });
export type Step = z.infer<typeof stepSchema>;

const traceFields = {
  status: orNull(z.enum(['completed', 'error', 'cancelled'])),
  stop_reason: orNull(z.enum(['done', 'max_steps', 'length', 'timeout', 'malformed_tool_call'])).describe(
    'Anything but `done` is a limit that ended the run.',
  ),
  content: text.describe('The answer that is graded.'),
  extra: objectSchema.default({}),
  trace_id: text,
};

/** The steps of one run, and how it ended. */
export interface Trace extends z.infer<z.ZodObject<typeof traceFields>> {
  readonly steps: readonly Step[];
}

/** Steps are numbered from 1, whatever their `step_id` was. */
export const traceSchema: z.ZodType<Trace> = z
  .strictObject({ steps: z.array(stepSchema).default([]), ...traceFields })
  .overwrite((trace) => ({
    ...trace,
    steps: trace.steps.map((step, index) => ({ ...step, step_id: index + 1 })),
  }))
  .meta({ id: 'Trace', description: 'The steps of a run, and how it ended.' });

/** HUD's `Trace.final`: the answer of the last step that has one. An empty text or list is an answer, null is not. */
export function final<T>(trace: Pick<Trace, 'steps'>, answerOf: (step: Step) => T | null | undefined): T | null {
  for (const step of trace.steps.toReversed()) {
    const answer = answerOf(step);
    if (answer != null) return answer;
  }
  return null;
}
