import type { Keys } from '../../tasks/key-docs.ts';
import { flag, list, number, object, text } from '../../tasks/key-docs.ts';
import type { Era } from '../../tasks/task.ts';
import { STATE, variable } from './keys.ts';

/** The keys of a cookie, as in Playwright. */
export const COOKIE_KEYS: Keys = {
  name: text('Its name.', 'theme', { required: true }),
  value: text('Its value.', 'dark', { required: true }),
  url: text('The address it belongs to; the start page where nothing is said.', 'https://shop.example/'),
  domain: text('The domain it belongs to.', 'shop.example'),
  path: text('The path it belongs to.', '/'),
  expires: number('When it ends: seconds since 1970.', 1_900_000_000),
  httpOnly: flag('Scripts of the page cannot read it.', true),
  secure: flag('It is sent over https only.', true),
  sameSite: { doc: 'Whether other sites send it along.', shape: '`Strict`, `Lax` or `None`', example: 'Lax' },
};

function inner02(): Readonly<Record<string, Keys>> {
  return {
    initial_state: STATE,
    'cookies.*': COOKIE_KEYS,
    'initial_state.cookies.*': COOKIE_KEYS,
    metadata: {
      combine: {
        doc: 'How the values of the evaluate calls become the reward: `all` takes the lowest, `any` the highest; their weighted mean where nothing is said.',
        shape: '`all` or `any`',
        example: 'all',
      },
      tags: list('Words that group tasks.', ['shop']),
      answer: text(
        'The answer of a question (`qa`) that has no `evaluate`: a text, or a list of which all are looked for.',
        'Paris',
      ),
      placement: {
        doc: 'Where the task would like to run: on this machine (`local`) or in a container (`docker`). A choice of the person and the settings are stronger.',
        shape: '`local` or `docker`',
        example: 'docker',
      },
      docker: object('What the container of the task may use.', { memory: 2048 }),
      partial: flag('Read by HUD.', true),
      eval_model: text('Read by HUD.', 'gpt-4o'),
      agent_name: text('Read by HUD.', 'operator'),
    },
    'metadata.docker': {
      cpus: number('Processors that the container may use.', 2),
      memory: number('Megabytes that the container may use.', 2048),
      pids: number('Processes and threads that the container may have.', 512),
      network: {
        doc: 'The network of the container: `none` cuts it off wholly, `bridge` reaches what this machine reaches.',
        shape: '`none` or `bridge`',
        example: 'none',
      },
    },
  };
}

const TOOL_CALL: Keys = {
  name: text('The tool.', 'setup', { required: true }),
  arguments: object('Its arguments by name.', {}),
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
      command: text('The program that is the server; it speaks on its standard streams.', 'docker'),
      args: list('The arguments of the program.', ['run', '--rm', '-i', 'org/environment:latest']),
      env: object('Environment variables of the program.', {}),
      url: text('The address of a server elsewhere.', 'https://mcp.hud.ai/v3/mcp'),
      headers: object('Headers of each request.', { Authorization: `Bearer ${variable('HUD_API_KEY')}` }),
    },
    'mcp_config.*.headers': {
      Authorization: text('The key of HUD.', `Bearer ${variable('HUD_API_KEY')}`),
      'Mcp-Image': text('The image that the server starts.', 'org/environment:latest'),
    },
    ...Object.fromEntries(
      ['setup_tool', 'evaluate_tool', 'integration_test_tool'].flatMap((key) => [
        [key, TOOL_CALL],
        [`${key}.*`, TOOL_CALL],
      ]),
    ),
    agent_config: {
      allowed_tools: list('Tools that the agent may use; `*` stands for any text.', ['*']),
      disallowed_tools: list('Tools that it may not use.', ['setup']),
      response_tool_name: text('The tool that takes the answer.', 'response'),
      system_prompt: text('A system prompt for the agent.', 'You are careful.'),
      append_setup_output: flag('The agent sees what the setup tools said.', true),
      initial_screenshot: flag('The agent gets a picture before its first answer.', true),
    },
  },
  '0.5': {
    env: {
      name: text('The environment.', 'my-org/blank', { required: true }),
      include: list('Tools that the agent gets.', ['act']),
      exclude: list('Tools that it does not get.', ['setup']),
    },
    'validation.*': TOOL_CALL,
    agent_config: {
      system_prompt: text('A system prompt for the agent.', 'You are careful.'),
      append_setup_output: flag('The agent sees what the setup said.', false),
      append_setup_tool: flag('The agent sees the setup tools.', false),
    },
  },
  '0.6': {
    agent_config: {
      max_steps: number('How many steps the agent may take.', 50),
      timeout_seconds: number('How long it may take.', 900),
    },
    runtime_config: {
      image: text('The image that the environment runs in.', 'org/environment:latest'),
      compose: object('A Docker Compose project in place of an image.', { document: 'compose.yaml' }),
      resources: object('What the environment needs.', { cpu: 2, memory_mb: 4096 }),
      limits: object('How long it may take to start and to run.', { startup_timeout_s: 120 }),
    },
    'runtime_config.compose': {
      document: text('The Compose file, relative to the task file, or its content.', 'compose.yaml', {
        required: true,
      }),
      root: text('The folder that the project stands in.', '.'),
      service_access: flag('The environment may reach the services.', true),
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
      type: text('The kind, or a list of kinds that will do.', 'H100'),
      count: number('How many.', 1),
    },
    'runtime_config.resources.tpu': {
      type: text('The kind.', 'v5e', { required: true }),
      topology: text('How they are arranged.', '2x2'),
    },
    'runtime_config.limits': {
      startup_timeout_s: number('Seconds until the environment must be ready.', 120, 'whole number'),
      run_timeout_s: number('Seconds that a run may take.', 900, 'whole number'),
    },
    verifier: {
      env: text('The name of the environment.', 'letter-count', { required: true }),
      id: text('The template that grades.', 'verify', { required: true }),
      args: object('Its arguments.', {}),
    },
  },
};
