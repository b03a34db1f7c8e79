import { flag, type Keys, list, number, object, text } from '../../tasks/key-docs.ts';
import type { Era } from '../../tasks/task.ts';
import { STATE, variable } from './keys.ts';

/** The keys of a cookie, as in Playwright. */
export const COOKIE_KEYS: Keys = {
  name: text('Its name.', 'theme', { required: true }),
  value: text('Its value.', 'dark', { required: true }),
  url: text('The address that the cookie belongs to. Default: the start page.', 'https://shop.example/'),
  domain: text('The domain that the cookie belongs to.', 'shop.example'),
  path: text('The path that the cookie belongs to.', '/'),
  expires: number('Expiry time, in seconds since 1970.', 1_900_000_000),
  httpOnly: flag('Scripts of the page cannot read the cookie.', true),
  secure: flag('The cookie is sent over HTTPS only.', true),
  sameSite: {
    doc: 'Whether requests from other sites include the cookie.',
    shape: '`Strict`, `Lax` or `None`',
    example: 'Lax',
  },
};

function inner02(): Readonly<Record<string, Keys>> {
  return {
    initial_state: STATE,
    'cookies.*': COOKIE_KEYS,
    'initial_state.cookies.*': COOKIE_KEYS,
    metadata: {
      combine: {
        doc: 'How the values of the evaluate calls become the reward: `all` takes the lowest, `any` the highest. Default: their weighted mean.',
        shape: '`all` or `any`',
        example: 'all',
      },
      tags: list('Tags that group tasks.', ['shop']),
      answer: text(
        'The answer of a question (`qa`) without `evaluate`: a string, or a list of required strings.',
        'Paris',
      ),
      dialogs: {
        doc: 'Who answers `confirm` and `prompt` of pages: the agent (`ask`), or nobody, so that all dialogs are accepted (`accept`) or dismissed (`dismiss`). Default: `ask`; in tasks of BrowserGym, they are dismissed.',
        shape: '`ask`, `accept` or `dismiss`',
        example: 'accept',
      },
      placement: {
        doc: 'The preferred placement: on this machine (`local`) or in a container (`docker`). The user’s choice and the settings take precedence.',
        shape: '`local` or `docker`',
        example: 'docker',
      },
      docker: object('Resource limits of the task’s container.', { memory: 2048 }),
      partial: flag('Read by HUD.', true),
      eval_model: text('Read by HUD.', 'gpt-4o'),
      agent_name: text('Read by HUD.', 'operator'),
    },
    'metadata.docker': {
      cpus: number('Number of processors.', 2),
      memory: number('Memory in megabytes.', 2048),
      pids: number('Number of processes and threads.', 512),
      network: {
        doc: 'The network of the container: `none` disables it, `bridge` has the access of this machine.',
        shape: '`none` or `bridge`',
        example: 'none',
      },
    },
  };
}

const TOOL_CALL: Keys = {
  name: text('The tool.', 'setup', { required: true }),
  arguments: object('The arguments by name.', {}),
};

/**
 * The keys of the objects inside a task, by path; `*` stands for any key or index. Calls, their arguments, and gyms
 * have tables of their own.
 */
export const INNER_KEYS: Readonly<Record<Era, Readonly<Record<string, Keys>>>> = {
  '0.2': inner02(),
  rfc: inner02(),
  '0.4': {
    'mcp_config.*': {
      command: text('The server program, which communicates over its standard streams.', 'docker'),
      args: list('The arguments of the program.', ['run', '--rm', '-i', 'org/environment:latest']),
      env: object('Environment variables of the program.', {}),
      url: text('The address of a remote server.', 'https://mcp.hud.ai/v3/mcp'),
      headers: object('Headers of each request.', { Authorization: `Bearer ${variable('HUD_API_KEY')}` }),
    },
    'mcp_config.*.headers': {
      Authorization: text('The HUD API key.', `Bearer ${variable('HUD_API_KEY')}`),
      'Mcp-Image': text('The image that the server starts.', 'org/environment:latest'),
    },
    ...Object.fromEntries(
      ['setup_tool', 'evaluate_tool', 'integration_test_tool'].flatMap((key) => [
        [key, TOOL_CALL],
        [`${key}.*`, TOOL_CALL],
      ]),
    ),
    agent_config: {
      allowed_tools: list('Tools that the agent can use; `*` matches any text.', ['*']),
      disallowed_tools: list('Tools that the agent cannot use.', ['setup']),
      response_tool_name: text('The tool that receives the response.', 'response'),
      system_prompt: text('A system prompt for the agent.', 'You are careful.'),
      append_setup_output: flag('The agent sees the output of the setup tools.', true),
      initial_screenshot: flag('The agent gets a screenshot before its first step.', true),
    },
  },
  '0.5': {
    env: {
      name: text('The environment.', 'my-org/blank', { required: true }),
      include: list('Tools that the agent can use.', ['act']),
      exclude: list('Tools that the agent cannot use.', ['setup']),
    },
    'validation.*': TOOL_CALL,
    agent_config: {
      system_prompt: text('A system prompt for the agent.', 'You are careful.'),
      append_setup_output: flag('The agent sees the output of the setup.', false),
      append_setup_tool: flag('The agent sees the setup tools.', false),
    },
  },
  '0.6': {
    agent_config: {
      max_steps: number('The maximum number of steps.', 50),
      timeout_seconds: number('The time limit in seconds.', 900),
    },
    runtime_config: {
      image: text('The image of the environment.', 'org/environment:latest'),
      compose: object('A Docker Compose project instead of an image.', { document: 'compose.yaml' }),
      resources: object('Resources of the environment.', { cpu: 2, memory_mb: 4096 }),
      limits: object('Time limits for startup and run.', { startup_timeout_s: 120 }),
    },
    'runtime_config.compose': {
      document: text('The Compose file, relative to the task file, or its content.', 'compose.yaml', {
        required: true,
      }),
      root: text('The folder of the project.', '.'),
      service_access: flag('The environment can access the services.', true),
    },
    'runtime_config.resources': {
      cpu: number('Processors.', 2),
      memory_mb: number('Memory in megabytes.', 4096),
      storage_mb: number('Storage in megabytes.', 10_240),
      gpu: object('Graphics processors.', { type: 'H100', count: 1 }),
      os: text('The operating system.', 'linux'),
      tpu: object('Tensor processors.', { type: 'v5e', topology: '2x2' }),
    },
    'runtime_config.resources.gpu': {
      type: text('The type, or a list of acceptable types.', 'H100'),
      count: number('How many.', 1),
    },
    'runtime_config.resources.tpu': {
      type: text('The kind.', 'v5e', { required: true }),
      topology: text('The topology.', '2x2'),
    },
    'runtime_config.limits': {
      startup_timeout_s: number('Time limit for startup in seconds.', 120, 'whole number'),
      run_timeout_s: number('Time limit for a run in seconds.', 900, 'whole number'),
    },
    verifier: {
      env: text('The name of the environment.', 'letter-count', { required: true }),
      id: text('The template that grades.', 'verify', { required: true }),
      args: object('Its arguments.', {}),
    },
  },
};
