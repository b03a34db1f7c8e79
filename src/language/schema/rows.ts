import * as z from 'zod';
import { environmentTypes } from '../../environments/kinds.ts';
import { cookieSchema } from '../../tasks/task.ts';
import { callsSchema } from './calls.ts';

const text = (description: string): z.ZodType => z.string().nullish().meta({ description });
const object = (description: string) => z.record(z.string(), z.unknown()).meta({ description });

const state = {
  start_url: z.string().min(1).nullish().meta({
    description: 'Where the task begins: an address, or the path of a page file beside the tasks.',
  }),
  html: z.string().min(1).nullish().meta({ description: 'The page that the task begins on, as HTML.' }),
  html_file: z.string().min(1).nullish().meta({ description: 'The path of the page file that the task begins on.' }),
  cookies: z
    .union([z.array(cookieSchema), z.record(z.string(), z.string()), z.null()])
    .optional()
    .meta({ description: 'Cookies that are there at the beginning: a list of objects, or names and values.' }),
  local_storage: z.record(z.string(), z.string()).nullish().meta({
    description: 'Entries of the local storage that are there at the beginning. Texts only.',
  }),
  localStorage: z.record(z.string(), z.string()).nullish().meta({ description: 'The same as `local_storage`.' }),
};

const gym = z
  .union([z.enum(environmentTypes), z.looseObject({ type: z.string().optional() }), z.null()])
  .optional()
  .meta({
    description:
      'The environment that the task runs in: its name, or an object with a `type` and what that type needs. `hud-browser` and `qa` are run by this version.',
  });

const rewardFunction = (description: string): z.ZodType =>
  z
    .string()
    .nullish()
    .meta({ description, examples: ["page_contains('Order placed')", "url_contains('#/done')"] });

/** A row of HUD 0.2 or of OpenEnv's proposal "Generic Task Support" (PR #201): Taskwright reads the keys of both. */
export const task = z
  .strictObject({
    $schema: z.string().optional(),
    id: text('The name of the task; it stands in addresses: `file#id`.'),
    name: text('A title for people.'),
    description: text('What the task is about, for people.'),
    tags: z
      .union([z.array(z.string()), z.string()])
      .nullish()
      .meta({ description: 'Words that group tasks.' }),
    prompt: text('What the agent should do.'),
    instruction: text('The same as `prompt`.'),
    system_prompt: text('A system prompt for the agent.'),
    gym,
    setup: callsSchema('setup', 'Calls that bring the environment to the state in which the task begins.'),
    evaluate: callsSchema('evaluate', 'Calls that judge the run, each from 0 to 1; their weighted mean is the reward.'),
    reward_function: rewardFunction('The evaluate function that judges the run: its name, or a call.'),
    reward_fn: rewardFunction('The same as `reward_function`.'),
    initial_state: z.strictObject(state).nullish().meta({ description: 'What stands before the setup calls.' }),
    ...state,
    max_steps: z.int().min(1).nullish().meta({ description: 'How many answers the agent may give.' }),
    config: object('Settings for environments of HUD that run elsewhere.').nullish(),
    sensitive_data: z
      .record(z.string(), z.record(z.string(), z.string()))
      .optional()
      .meta({ description: 'For each site, placeholders and the values that stand for them.' }),
    metadata: z
      .looseObject({
        combine: z.enum(['all', 'any']).optional().meta({
          description: '`all`: the lowest value of the evaluate calls is the reward; `any`: the highest.',
        }),
        tags: z
          .union([z.array(z.string()), z.string()])
          .nullish()
          .meta({ description: 'Words that group tasks.' }),
      })
      .optional()
      .meta({ description: 'Yours; `combine` and `tags` are read.' }),
    image_uri: text('The image of a `docker` environment.'),
  })
  .meta({
    id: 'task',
    title: 'Task',
    description: 'A task that Taskwright runs: HUD 0.2, or OpenEnv\'s proposal "Generic Task Support" (PR #201).',
    // Environments that give the goal themselves need no prompt.
    if: {
      not: {
        required: ['gym'],
        properties: { gym: { type: 'object', required: ['type'], properties: { type: { const: 'browsergym' } } } },
      },
    },
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    then: { anyOf: [{ required: ['prompt'] }, { required: ['instruction'] }] },
  });

const anyObject = z.record(z.string(), z.unknown());
/** HuggingFace data sets hold nested values as JSON in a text; HUD 0.4 reads both. */
const orJsonText = z.union([anyObject, z.string()]);

const toolCall = z
  .union([
    z.looseObject({ name: z.string(), arguments: anyObject.nullish() }),
    // The shorthand: {"setup": {"name": "board", "arguments": {...}}}
    z.record(z.string(), anyObject),
  ])
  .meta({ id: 'tool-call', description: 'A call of an MCP tool: `{"name": "...", "arguments": {...}}`.' });
const toolCalls = (description: string): z.ZodType =>
  z
    .union([toolCall, z.array(toolCall), z.string(), z.null()])
    .optional()
    .meta({ description });

/** HUD 0.4: MCP tools set up and judge. */
export const task04 = z
  .strictObject({
    id: text('The name of the task.'),
    prompt: z.string().meta({ description: 'What the agent should do.' }),
    system_prompt: text('A system prompt for the agent.'),
    mcp_config: orJsonText.meta({
      description: 'The MCP servers of the environment: by name, a `command` with `args`, or a `url` with `headers`.',
    }),
    setup_tool: toolCalls('The tool that brings the environment to the state in which the task begins.'),
    evaluate_tool: toolCalls('The tool that judges the run.'),
    integration_test_tool: toolCalls('The tools that solve the task, to test it.'),
    agent_config: orJsonText.nullish().meta({ description: 'Settings of the agent.' }),
    metadata: orJsonText.optional().meta({ description: 'Yours.' }),
  })
  .meta({
    id: 'task-0.4',
    title: 'Task of HUD 0.4',
    description: 'A task of HUD 0.4. Listed, not run by this version.',
  });

const columns = anyObject.nullish().meta({ description: 'Facets of the task, for tables.' });

/** HUD 0.5: a scenario of an environment. */
export const task05 = z
  .strictObject({
    env: z
      .looseObject({
        name: z.string().min(1),
        include: z.array(z.string()).nullish(),
        exclude: z.array(z.string()).nullish(),
      })
      .nullish()
      .meta({ description: 'The environment: `{"name": "..."}`.' }),
    scenario: z.string().meta({ description: 'The scenario of the environment: its name, or `environment:name`.' }),
    id: text('Given by the platform.'),
    slug: z.string().max(100).nullish().meta({ description: 'The name of the task; at most 100 characters.' }),
    args: anyObject.nullish().meta({ description: 'Arguments of the scenario.' }),
    validation: z.array(anyObject).nullish().meta({ description: 'Tool calls that solve the task, to test it.' }),
    agent_config: anyObject.nullish().meta({ description: 'Settings of the agent.' }),
    columns,
    metadata: anyObject.optional().meta({ description: 'Yours.' }),
  })
  .meta({
    id: 'task-0.5',
    title: 'Task of HUD 0.5',
    description: 'A task of HUD 0.5. Listed, not run by this version.',
  });

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
        .strictObject({ type: z.union([z.string(), z.array(z.string())]).nullish(), count: z.int().min(1).optional() })
        .nullish(),
      os: z.string().nullish(),
      tpu: z.strictObject({ type: z.string(), topology: z.string().regex(/^[1-9]\d*(x[1-9]\d*)+$/) }).nullish(),
    })
    .nullish(),
  limits: z.strictObject({ startup_timeout_s: whole, run_timeout_s: whole }).nullish(),
});

const fields06 = {
  env: z.string().min(1).meta({ description: 'The name of the environment.' }),
  id: z.string().min(1).meta({ description: 'The template of the environment.' }),
  args: anyObject.optional().meta({ description: 'Arguments of the template; `null` is refused.' }),
  slug: z.string().min(1).optional().meta({
    description: 'The name of the task. If absent: the id, with a hash of the arguments where there are any.',
  }),
  validation: z.array(anyObject).nullish().meta({ description: 'Steps that solve the task, to test it.' }),
  agent_config: anyObject.nullish().meta({ description: 'Settings of the agent, such as `max_steps`.' }),
  columns,
  runtime_config: runtime.nullish().meta({ description: 'What the task needs to run: an image, resources, limits.' }),
};

/** HUD 0.6: a template of an environment. */
export const task06 = z
  .strictObject({
    ...fields06,
    verifier: z.strictObject(fields06).nullish().meta({ description: 'A task without an agent that judges this one.' }),
  })
  .meta({
    id: 'task-0.6',
    title: 'Task of HUD 0.6',
    description: 'A task of HUD 0.6. Listed, not run by this version.',
  });
