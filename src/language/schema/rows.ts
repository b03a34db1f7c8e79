import * as z from 'zod';
import { environmentTypes, KINDS } from '../../environments/kinds.ts';
import { DIALOG_ANSWERS } from '../../tasks/dialog-answers.ts';
import { TASK_PLACEMENTS } from '../../tasks/placement-kind.ts';
import { containerLimitsSchema } from '../../tasks/placement-options.ts';
import { cookieSchema } from '../../tasks/task.ts';
import { STATE, TASK_KEYS } from '../typing/keys.ts';
import { callsSchema } from './calls.ts';
import { withDocs } from './documented.ts';

/** The types whose environments give the goal. */
const GOAL_TYPES = KINDS.flatMap(({ types, givesGoal }) => Object.keys(types).filter((type) => givesGoal?.({ type })));

const text = z.string().nullish();
const object = z.record(z.string(), z.unknown());
const texts = z.array(z.string());
const tags = z.union([texts, z.string(), z.null()]).optional();

const state = withDocs(STATE, {
  start_url: z.string().min(1).nullish(),
  html: z.string().min(1).nullish(),
  html_file: z.string().min(1).nullish(),
  cookies: z.union([z.array(cookieSchema), z.record(z.string(), z.string()), z.null()]).optional(),
  local_storage: z.record(z.string(), z.string()).nullish(),
  localStorage: z.record(z.string(), z.string()).nullish(),
});

/** A row of HUD 0.2 or of OpenEnv's proposal "Generic Task Support" (PR #201): Taskwright reads the keys of both. */
export const task = z
  .strictObject({
    $schema: z.string().optional(),
    ...withDocs(TASK_KEYS['0.2'], {
      id: text,
      name: text,
      description: text,
      tags,
      prompt: text,
      instruction: text,
      system_prompt: text,
      gym: z.union([z.enum(environmentTypes), z.looseObject({ type: z.string().optional() }), z.null()]).optional(),
      setup: callsSchema('setup'),
      evaluate: callsSchema('evaluate'),
      reward_function: text,
      reward_fn: text,
      benchmark: text,
      task_name: text,
      initial_state: z.strictObject(state).nullish(),
      ...state,
      max_steps: z.int().min(1).nullish(),
      config: object.nullish(),
      sensitive_data: z.record(z.string(), z.record(z.string(), z.string())).optional(),
      metadata: z
        .looseObject({
          combine: z.enum(['all', 'any']).optional(),
          dialogs: z.enum(DIALOG_ANSWERS).optional(),
          tags,
          placement: z.enum(TASK_PLACEMENTS).optional(),
          docker: containerLimitsSchema.partial().optional(),
        })
        .optional(),
      target: z.union([z.string(), z.number(), z.array(z.union([z.string(), z.number()])), z.null()]).optional(),
      image_uri: text,
    }),
  })
  .meta({
    id: 'task',
    title: 'Task',
    description: 'A task that Taskwright runs: HUD 0.2, or OpenEnv\'s proposal "Generic Task Support" (PR #201).',
    // Environments that provide the goal need no prompt.
    if: {
      not: {
        required: ['gym'],
        properties: { gym: { type: 'object', required: ['type'], properties: { type: { enum: GOAL_TYPES } } } },
      },
    },
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    then: { anyOf: [{ required: ['prompt'] }, { required: ['instruction'] }] },
  });

function ofEra(era: string) {
  const title = `Task of HUD ${era}`;
  return { id: `task-${era}`, title, description: `A task of HUD ${era}. Listed, not run by this version.` };
}

/** HuggingFace data sets contain nested values as JSON texts; HUD 0.4 reads both. */
const objectOrJson = z.union([object, z.string()]);

const toolCall = z
  .union([
    z.looseObject({ name: z.string(), arguments: object.nullish() }),
    // The shorthand: {"setup": {"name": "board", "arguments": {...}}}
    z.record(z.string(), object),
  ])
  .meta({ id: 'tool-call', description: 'A call of an MCP tool: `{"name": "...", "arguments": {...}}`.' });
const toolCalls = z.union([toolCall, z.array(toolCall), z.string(), z.null()]).optional();

/** HUD 0.4: MCP tools for setup and evaluation. */
export const task04 = z
  .strictObject(
    withDocs(TASK_KEYS['0.4'], {
      id: text,
      prompt: z.string(),
      system_prompt: text,
      mcp_config: objectOrJson,
      setup_tool: toolCalls,
      evaluate_tool: toolCalls,
      integration_test_tool: toolCalls,
      agent_config: z.union([object, z.string(), z.null()]).optional(),
      metadata: objectOrJson.optional(),
    }),
  )
  .meta(ofEra('0.4'));

/** HUD 0.5: a scenario of an environment. */
export const task05 = z
  .strictObject(
    withDocs(TASK_KEYS['0.5'], {
      env: z.looseObject({ name: z.string().min(1), include: texts.nullish(), exclude: texts.nullish() }).nullish(),
      scenario: z.string(),
      id: text,
      slug: z.string().max(100).nullish(),
      args: object.nullish(),
      validation: z.array(object).nullish(),
      agent_config: object.nullish(),
      columns: object.nullish(),
      metadata: object.optional(),
    }),
  )
  .meta(ofEra('0.5'));

const whole = z.int().positive().nullish();
const runtime = z.strictObject({
  image: z.string().min(1).nullish(),
  compose: z.unknown().optional(),
  resources: z
    .strictObject({
      cpu: z.number().positive().nullish(),
      memory_mb: whole,
      storage_mb: whole,
      gpu: z
        .strictObject({ type: z.union([z.string(), texts, z.null()]).optional(), count: z.int().min(1).optional() })
        .nullish(),
      os: text,
      tpu: z.strictObject({ type: z.string(), topology: z.string().regex(/^[1-9]\d*(x[1-9]\d*)+$/) }).nullish(),
    })
    .nullish(),
  limits: z.strictObject({ startup_timeout_s: whole, run_timeout_s: whole }).nullish(),
});

const fields06 = withDocs(TASK_KEYS['0.6'], {
  env: z.string().min(1),
  id: z.string().min(1),
  args: object.optional(),
  slug: z.string().min(1).optional(),
  validation: z.array(object).nullish(),
  agent_config: object.nullish(),
  columns: object.nullish(),
  runtime_config: runtime.nullish(),
});

/** HUD 0.6: a template of an environment. */
export const task06 = z
  .strictObject({
    ...fields06,
    ...withDocs(TASK_KEYS['0.6'], { verifier: z.strictObject(fields06).nullish() }),
  })
  .meta(ofEra('0.6'));
