import { type Keys, list, number, object, text } from '../../tasks/key-docs.ts';
import type { Era } from '../../tasks/task.ts';

/** An environment variable in HUD 0.4. */
export const variable = (name: string): string => `\${${name}}`;

/** Keys for the initial state, in the task itself or under `initial_state`. */
export const STATE: Keys = {
  start_url: text('Where the task begins: an address, or the path of a page file beside the tasks.', 'shop.html'),
  html_file: text('The page file beside the tasks that the task begins on.', 'shop.html'),
  html: text('The page that the task begins on, as HTML.', '<button id="ok">OK</button>'),
  cookies: {
    doc: 'Cookies that are there at the beginning: a list of objects, or names and values.',
    shape: 'list of cookies, or object of texts',
    example: [{ name: 'theme', value: 'dark' }],
  },
  local_storage: object('Entries of the local storage that are there at the beginning. Texts only.', { cart: '3' }),
  localStorage: object('Another spelling of `local_storage`.', { cart: '3' }),
};

/** HUD 0.2 and the proposal "Generic Task Support" of OpenEnv (PR #201): Taskwright reads the keys of both. */
const HUD_0_2: Keys = {
  id: text(
    'The name of the task. It stands in addresses (`file#id`) and names its solution, `<id>.actions`.',
    'buy-bag',
    {
      hud: 'A text since HUD 0.2; other values are refused.',
    },
  ),
  prompt: text(
    'What the agent should do. May be missing only where the environment gives a goal.',
    'Buy the red bag.',
    {
      required: true,
      hud: 'The only key that HUD 0.2 requires.',
    },
  ),
  gym: {
    doc: 'The environment that the task runs in: its name, or an object with a `type`. This version runs `hud-browser`, `qa` and objects of type `browsergym`.',
    shape: 'text or object',
    example: 'hud-browser',
    required: true,
    hud: 'HUD 0.2.7 and later take `qa`, `hud-browser`, `OSWorld-Ubuntu` and `docker`, and objects of type `public` only; `hud-ubuntu` ended with 0.2.5.',
  },
  setup: {
    doc: 'Calls that bring the environment to the state in which the task begins.',
    shape: 'call or list of calls',
    example: ['goto', 'shop.html'],
    hud: 'HUD 0.2 sends only the first call to a remote environment, and reads a list that begins with a name as one call.',
  },
  evaluate: {
    doc: 'Calls that judge the run, each from 0 to 1. The reward is their weighted mean.',
    shape: 'call or list of calls',
    example: ['page_contains', 'Order placed'],
    required: true,
    hud: 'HUD 0.2 gives None where a function fails; here the run is an error that names the call.',
  },
  instruction: text('What the agent should do: another spelling of `prompt`.', 'Buy the red bag.', {
    hud: 'Not known to HUD; of OpenEnv’s proposal.',
  }),
  name: text('A title for people.', 'Buy a bag'),
  description: text(
    'What the task is about, for people. The agent does not see it.',
    'The plainest way through the shop.',
    {
      hud: 'Since HUD 0.2.7.',
    },
  ),
  tags: list('Words that group tasks.', ['shop']),
  benchmark: text('The benchmark of BrowserGym that the task is of: another spelling of `gym`.', 'miniwob'),
  task_name: text('The task of the benchmark.', 'click-test'),
  ...STATE,
  initial_state: object('What stands before the setup calls.', { start_url: 'shop.html' }),
  reward_function: text(
    'The evaluate function that judges the run: its name, or a call. `check_x(...)` means `x(...)`. Scripts are not run.',
    "page_contains('Order placed')",
  ),
  reward_fn: text('Another spelling of `reward_function`.', "page_contains('Order placed')"),
  max_steps: number('How many answers the agent may give before the run is graded; 100 where nothing is said.', 20),
  system_prompt: text('A system prompt for the agent.', 'You are a careful shopper.', { hud: 'Since HUD 0.2.7.' }),
  metadata: object(
    'Yours. `combine` and `tags` are read, and in a question without `evaluate` its `answer`.',
    {},
    { hud: 'null is refused by HUD 0.2.10.' },
  ),
  config: object('Settings for environments of HUD that run elsewhere (OSWorld).', {}),
  sensitive_data: object(
    'For each site, placeholders and their values. An agent types `<secret>password</secret>` for the value, which the page gets; traces, the run panel and the log show the placeholder.',
    {
      'shop.example': { password: '…' },
    },
  ),
  target: {
    doc: 'The answer of a question that has no `evaluate`: a text means `response_includes`, a list `match_all`.',
    shape: 'text or list of texts',
    example: 'Paris',
    hud: 'A key of HUD 0.2.0 to 0.2.2; later releases ignore it.',
  },
  image_uri: text('The image of a `docker` environment.', 'org/environment:latest'),
};

const TOOL = { name: 'setup', arguments: {} } as const;

const HUD_0_4: Keys = {
  id: text('The name of the task.', 'count-3'),
  prompt: text('What the agent should do.', 'Increment the counter to reach 3', { required: true }),
  mcp_config: object(
    'The MCP servers of the environment by name: `{command, args}` starts one here, `{url, headers}` reaches one elsewhere. A name in braces behind a dollar sign is replaced by the environment variable.',
    { hud: { url: 'https://mcp.hud.ai/v3/mcp', headers: { Authorization: `Bearer ${variable('HUD_API_KEY')}` } } },
    { required: true, hud: 'A default behind the name, and a lone `$`, make HUD 0.4 fail; `$$` is a dollar sign.' },
  ),
  setup_tool: {
    doc: 'Tool calls before the agent begins.',
    shape: 'tool call or list of tool calls',
    example: TOOL,
    hud: 'May be a JSON string, as in datasets.',
  },
  evaluate_tool: {
    doc: 'Tool calls whose result is the reward (`reward`, `grade` or `score`).',
    shape: 'tool call or list of tool calls',
    example: { name: 'evaluate', arguments: { target: 3 } },
    required: true,
    hud: 'Only the first call counts. HUD 0.5 refuses a task of 0.4 without it.',
  },
  integration_test_tool: {
    doc: 'Tool calls that solve the task: the agent `integration_test` makes them in place of a model.',
    shape: 'tool call or list of tool calls',
    example: [{ name: 'act', arguments: {} }],
  },
  agent_config: object(
    'Settings of the agent.',
    { allowed_tools: ['*'] },
    { hud: 'HUD 0.4.74 refuses unknown keys in it.' },
  ),
  system_prompt: text('A system prompt for the agent.', 'You are careful.', {
    hud: 'In the first versions of 0.4 only; later it stands in `agent_config`.',
  }),
  metadata: object('Yours.'),
};

const HUD_0_5: Keys = {
  env: object(
    'The environment: its name, and the tools to include or exclude.',
    { name: 'my-org/blank' },
    {
      required: true,
      hud: 'An object in HUD 0.5; a text in 0.6.',
    },
  ),
  scenario: text('The scenario of the environment: `name` or `environment:name`.', 'count-to', { required: true }),
  id: text('Given by the platform.', 'a1'),
  slug: text('A name for the task, at most 100 characters.', 'count-3'),
  args: object('The arguments of the scenario.', { target: 3 }, { hud: 'null makes the task a template.' }),
  validation: list('Tool calls that solve the task.', [], 'list of tool calls'),
  agent_config: object('Settings of the agent.', { system_prompt: 'You are careful.' }),
  columns: object('Facets for tables of tasks.', {}),
  metadata: object('Yours.'),
};

const HUD_0_6: Keys = {
  env: text('The name of the environment.', 'letter-count', {
    required: true,
    hud: 'A text in HUD 0.6; an object in 0.5.',
  }),
  id: text('The template of the environment that makes the task.', 'count', { required: true }),
  args: object('The arguments of the template.', { word: 'banana', letter: 'a' }, { hud: 'null is refused.' }),
  slug: text('A name for the task. Where it is missing, the id and a hash of the arguments.', 'count-banana', {
    hud: 'null and an empty text are refused; a name that stands twice makes the file unreadable.',
  }),
  validation: list('Steps that solve the task.', [], 'list of objects'),
  agent_config: object('Settings of the agent.', { max_steps: 50 }),
  columns: object('Facets for tables of tasks.', {}),
  runtime_config: object(
    'Where the environment runs, and its limits.',
    { image: 'org/environment:latest' },
    {
      hud: 'Unknown keys in it are refused, and so are `image` and `compose` together.',
    },
  ),
  verifier: object(
    'A task without an agent that grades this one.',
    { env: 'letter-count', id: 'verify' },
    {
      hud: 'Since 0.6.13; a verifier in a verifier is refused.',
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
    'The function: built in, or exported by a `*.functions.ts` or `*.functions.py` file beside the tasks.',
    'page_contains',
    {
      required: true,
    },
  ),
  args: {
    doc: 'Its arguments, in their order.',
    shape: 'list',
    example: ['Order placed'],
    required: true,
    hud: 'HUD 0.2 fails on a call without it (KeyError) and wraps a single value into a list.',
  },
  id: text('A name for this call.', 'order-placed'),
  metadata: object('Yours; `weight` is read by the reward.', { weight: 2 }, { hud: 'Since HUD 0.2.5.' }),
};

/** The keys of a file that holds `{name, tasks: [...]}`. */
export const SET_KEYS: Keys = {
  id: text('The name of the set.', 'shop'),
  name: text('A title for people.', 'The shop'),
  description: text('What the set is about, for people.', 'Tasks in a small shop.'),
  tasks: list('The tasks.', [], 'list of tasks'),
};

/** The keys of a call's `metadata`. */
export const CALL_METADATA_KEYS: Keys = {
  weight: number('How much the call counts in the reward: greater than 0; 1 where nothing is said.', 2),
};
