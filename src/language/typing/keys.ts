import { type Keys, list, number, object, text } from '../../tasks/key-docs.ts';
import type { Era } from '../../tasks/task.ts';

/** An environment variable in HUD 0.4. */
export const variable = (name: string): string => `\${${name}}`;

/** Keys for the initial state, in the task itself or under `initial_state`. */
export const STATE: Keys = {
  start_url: text('The start page: an address, or the path of a page file next to the tasks.', 'shop.html'),
  html_file: text('The start page: a page file next to the tasks.', 'shop.html'),
  html: text('The start page, as inline HTML.', '<button id="ok">OK</button>'),
  cookies: {
    doc: 'Initial cookies: a list of objects, or an object of names and values.',
    shape: 'list of cookies, or object of strings',
    example: [{ name: 'theme', value: 'dark' }],
  },
  local_storage: object('Initial entries of the local storage. Only strings.', { cart: '3' }),
  localStorage: object('An alias of `local_storage`.', { cart: '3' }),
};

/** HUD 0.2 and the proposal "Generic Task Support" of OpenEnv (PR #201): Taskwright reads the keys of both. */
const HUD_0_2: Keys = {
  id: text(
    'The name of the task, used in addresses (`file#id`) and for its solution file, `<id>.actions`.',
    'buy-bag',
    {
      hud: 'HUD 0.2 accepts only strings.',
    },
  ),
  prompt: text('What the agent should do. Required, unless the environment provides the goal.', 'Buy the red bag.', {
    required: true,
    hud: 'The only required key in HUD 0.2.',
  }),
  gym: {
    doc: 'The environment of the task: its name, or an object with a `type`.',
    shape: 'string or object',
    example: 'hud-browser',
    required: true,
    hud: 'HUD 0.2.7 and later accept only `qa`, `hud-browser`, `OSWorld-Ubuntu`, `docker`, and objects of type `public`. `hud-ubuntu` was removed after 0.2.5.',
  },
  setup: {
    doc: 'Calls that prepare the environment before the agent starts.',
    shape: 'call or list of calls',
    example: ['goto', 'shop.html'],
    hud: 'HUD 0.2 sends only the first call to a remote environment, and reads a list that begins with a name as one call.',
  },
  evaluate: {
    doc: 'Calls that grade the run, each from 0 to 1. The reward is their weighted mean.',
    shape: 'call or list of calls',
    example: ['page_contains', 'Order placed'],
    required: true,
    hud: 'If a function fails, HUD 0.2 returns None; Taskwright reports an error that names the call.',
  },
  instruction: text('What the agent should do. An alias of `prompt`.', 'Buy the red bag.', {
    hud: 'Not part of HUD, but of OpenEnv’s proposal.',
  }),
  name: text('A title for display.', 'Buy a bag'),
  description: text('A description for display. The agent does not see it.', 'The shortest path through the shop.', {
    hud: 'Since HUD 0.2.7.',
  }),
  tags: list('Tags that group tasks.', ['shop']),
  benchmark: text('The BrowserGym benchmark of the task. An alternative to `gym`.', 'miniwob'),
  task_name: text('The name of the task in the benchmark.', 'click-test'),
  ...STATE,
  initial_state: object('The state before the setup calls.', { start_url: 'shop.html' }),
  reward_function: text(
    'The evaluate function that grades the run: its name, or a call. `check_x(...)` means `x(...)`. Scripts are not run.',
    "page_contains('Order placed')",
  ),
  reward_fn: text('An alias of `reward_function`.', "page_contains('Order placed')"),
  max_steps: number('The maximum number of agent steps before the run is graded. Default: 100.', 20),
  system_prompt: text('A system prompt for the agent.', 'You are a careful shopper.', { hud: 'Since HUD 0.2.7.' }),
  metadata: object(
    'User-defined. Taskwright reads `combine` and `tags`, and `answer` in a question without `evaluate`.',
    {},
    { hud: 'HUD 0.2.10 rejects null.' },
  ),
  config: object('Settings for remote HUD environments (OSWorld).', {}),
  sensitive_data: object(
    'Placeholders and their values for each site. The agent types `<secret>password</secret>`, and the page receives the value. Traces, the run panel, and the log show the placeholder.',
    {
      'shop.example': { password: '…' },
    },
  ),
  target: {
    doc: 'The answer of a question without `evaluate`: a string means `response_includes`, a list `match_all`.',
    shape: 'string or list of strings',
    example: 'Paris',
    hud: 'Used by HUD 0.2.0 to 0.2.2; later releases ignore it.',
  },
  image_uri: text('The image of a `docker` environment.', 'org/environment:latest'),
};

const TOOL = { name: 'setup', arguments: {} } as const;

const HUD_0_4: Keys = {
  id: text('The name of the task.', 'count-3'),
  prompt: text('What the agent should do.', 'Increment the counter to reach 3', { required: true }),
  mcp_config: object(
    'The MCP servers of the environment by name: `{command, args}` starts a local server, `{url, headers}` connects to a remote one. Environment variables are substituted for names in braces after a dollar sign.',
    { hud: { url: 'https://mcp.hud.ai/v3/mcp', headers: { Authorization: `Bearer ${variable('HUD_API_KEY')}` } } },
    { required: true, hud: 'HUD 0.4 fails on a default after the name, and on a single `$`. `$$` is a dollar sign.' },
  ),
  setup_tool: {
    doc: 'Tool calls before the agent starts.',
    shape: 'tool call or list of tool calls',
    example: TOOL,
    hud: 'Can be a JSON string, as in data sets.',
  },
  evaluate_tool: {
    doc: 'Tool calls whose result is the reward (`reward`, `grade` or `score`).',
    shape: 'tool call or list of tool calls',
    example: { name: 'evaluate', arguments: { target: 3 } },
    required: true,
    hud: 'Only the first call counts. HUD 0.5 rejects a task of 0.4 without it.',
  },
  integration_test_tool: {
    doc: 'Tool calls that solve the task. The agent `integration_test` makes them instead of a model.',
    shape: 'tool call or list of tool calls',
    example: [{ name: 'act', arguments: {} }],
  },
  agent_config: object(
    'Settings of the agent.',
    { allowed_tools: ['*'] },
    { hud: 'HUD 0.4.74 rejects unknown keys in it.' },
  ),
  system_prompt: text('A system prompt for the agent.', 'You are careful.', {
    hud: 'Only in the first releases of 0.4; later in `agent_config`.',
  }),
  metadata: object('Yours.'),
};

const HUD_0_5: Keys = {
  env: object(
    'The environment: its name, and the tools to include or exclude. Where its server is, only Taskwright reads: a `url` with `headers`, or a `command` with `args` and `env`; else it is `env.py` next to the file.',
    { name: 'my-org/blank' },
    {
      required: true,
      hud: 'An object in HUD 0.5, a string in 0.6.',
    },
  ),
  scenario: text('The scenario of the environment: `name` or `environment:name`.', 'count-to', { required: true }),
  id: text('Assigned by the platform.', 'a1'),
  slug: text('A unique name of the task, at most 100 characters.', 'count-3'),
  args: object('The arguments of the scenario.', { target: 3 }, { hud: 'With null, the task is a template.' }),
  validation: list('Tool calls that solve the task.', [], 'list of tool calls'),
  agent_config: object('Settings of the agent.', { system_prompt: 'You are careful.' }),
  columns: object('Facets for tables of tasks.', {}),
  metadata: object('Yours.'),
};

const HUD_0_6: Keys = {
  env: text('The name of the environment.', 'letter-count', {
    required: true,
    hud: 'A string in HUD 0.6, an object in 0.5.',
  }),
  id: text('The template of the environment that creates the task.', 'count', { required: true }),
  args: object('The arguments of the template.', { word: 'banana', letter: 'a' }, { hud: 'HUD 0.6 rejects null.' }),
  slug: text('A unique name of the task. Default: the id and a hash of the arguments.', 'count-banana', {
    hud: 'HUD 0.6 rejects null, an empty string, and duplicates in a file.',
  }),
  validation: list('Steps that solve the task.', [], 'list of objects'),
  agent_config: object('Settings of the agent.', { max_steps: 50 }),
  columns: object('Facets for tables of tasks.', {}),
  runtime_config: object(
    'Where the environment runs, and its limits.',
    { image: 'org/environment:latest' },
    {
      hud: 'HUD 0.6 rejects unknown keys in it, and `image` together with `compose`.',
    },
  ),
  verifier: object(
    'A task without an agent that grades this one.',
    { env: 'letter-count', id: 'verify' },
    {
      hud: 'Since 0.6.13. A verifier cannot have a verifier.',
    },
  ),
};

/** The keys of a task, by its era. */
export const TASK_KEYS: Readonly<Record<Era, Keys>> = {
  '0.2': HUD_0_2,
  rfc: HUD_0_2,
  '0.4': HUD_0_4,
  '0.5': HUD_0_5,
  '0.6': HUD_0_6,
};

/** The keys of a setup or evaluate call. */
export const CALL_KEYS: Keys = {
  function: text(
    'The function: built in, or exported by a `*.functions.ts` or `*.functions.py` file next to the tasks.',
    'page_contains',
    {
      required: true,
    },
  ),
  args: {
    doc: 'The arguments in order.',
    shape: 'list',
    example: ['Order placed'],
    required: true,
    hud: 'HUD 0.2 fails on a call without it (KeyError), and wraps a single value in a list.',
  },
  id: text('A name for this call.', 'order-placed'),
  metadata: object('User-defined. `weight` affects the reward.', { weight: 2 }, { hud: 'Since HUD 0.2.5.' }),
};

/** The keys of a file that holds `{name, tasks: [...]}`. */
export const SET_KEYS: Keys = {
  id: text('The name of the set.', 'shop'),
  name: text('A title for display.', 'The shop'),
  description: text('A description for display.', 'Tasks in a small shop.'),
  tasks: list('The tasks.', [], 'list of tasks'),
};

/** The keys of a call's `metadata`. */
export const CALL_METADATA_KEYS: Keys = {
  weight: number('The weight of the call in the reward, greater than 0. Default: 1.', 2),
};
