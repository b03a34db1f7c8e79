import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ProtocolError } from '@modelcontextprotocol/client';
import type { ActionInput } from '../../actions/action.ts';
import { defined } from '../../base/defined.ts';
import type { Json } from '../../base/json.ts';
import type { CallResult, Phase } from '../../functions/declaration.ts';
import { RARE_COLLECTIONS } from '../../functions/user/python/collections.ts';
import { locatePython } from '../../functions/user/python/locate.ts';
import type { Call } from '../../tasks/task.ts';
import {
  type CreateEnvironment,
  type Environment,
  EnvironmentError,
  type Observation,
  PLAIN_RESULT,
  type ResetOptions,
  requireTask,
  type StartResult,
  type StepResult,
} from '../environment.ts';
import { startLimit } from '../start-limit.ts';
import { stepObjects } from '../step-actions.ts';
import { AgentTools, callForAgent } from './agent-tools.ts';
import { McpConnection } from './client/connection.ts';
import { HttpTransport } from './client/http.ts';
import { StdioTransport } from './client/stdio.ts';
import { observationOf, resultSchema } from './observation.ts';
import { resultText, rewardOfScenario, rewardOfTool } from './reward.ts';
import { Scenarios, SUBMIT } from './scenario.ts';
import { type McpServer, type McpSpec, readMcp, serversIn } from './spec.ts';
import { PlaceholderError, substitute } from './template.ts';
import { matches, readTools, type Tool, toolSchema } from './tools.ts';

/** How long a server may take to start, in ms: a container, or a program that imports HUD. */
const START_LIMIT = 120_000;

/** Serves the environment of an `env.py` of HUD 0.5 over standard streams. Standard output is for messages only. */
const SERVE_FILE = `
import os, sys
${RARE_COLLECTIONS}
# Its output is logged at once, and is not lost when it is terminated.
sys.stdout.reconfigure(line_buffering=True)
sys.path.insert(0, os.getcwd())
import env as module
server = getattr(module, 'env', None) or getattr(module, 'mcp', None)
if server is None:
    sys.exit('env.py defines no environment named env')
server.run(transport='stdio')
`;

/** The state of one task. */
interface TaskState {
  readonly spec: McpSpec;
  readonly connections: readonly McpConnection[];
  /** All tools, including those that the agent does not get. */
  readonly tools: ReadonlyMap<string, Tool>;
  readonly agentTools: AgentTools;
  readonly scenarios: Scenarios | null;
  observation: Observation;
  response: string | null;
}

/** An environment of HUD 0.4 or 0.5, which consists of the tools of MCP servers. */
export class McpEnvironment implements Environment {
  readonly #log: (text: string) => void;
  #task: TaskState | null = null;
  broken: Promise<never> = new Promise(() => {});

  constructor(log: (text: string) => void) {
    this.#log = log;
  }

  async reset(options: ResetOptions): Promise<StartResult> {
    const { task, files, variables = {} } = options;
    await this.close();
    const spec = readSpec(task.env, variables);
    const folder = 'folder' in files ? files.folder : '';
    const servers = spec.servers.size > 0 ? spec.servers : await serverOf(folder);
    const connections = await this.#connect(servers, folder);
    try {
      this.broken = Promise.race([...connections.values()].map(({ lost }) => lost));
      // The session reports it.
      this.broken.catch(() => {});
      const limit = startLimit(options);
      const tools = await allTools(connections, limit);
      const scenarios = spec.scenario === null ? null : new Scenarios([...connections.values()], spec.scenario);
      const start = (await scenarios?.start(limit)) ?? null;
      const calls = [...task.setup, ...task.evaluate].map((call) => call.function);
      const hiddenNames = new Set([SUBMIT, spec.responseTool, ...calls]);
      const visibleTools = [...tools.values()].filter(
        ({ name, ownName }) =>
          !hiddenNames.has(name) && !hiddenNames.has(ownName) && isAllowed(name, spec) && (start?.offers(name) ?? true),
      );
      const agentTools = new AgentTools(visibleTools, this.#log);
      this.#task = {
        spec,
        connections: [...connections.values()],
        tools,
        agentTools,
        scenarios,
        observation: start?.observation ?? { text: null, screenshot: null },
        response: null,
      };
      return { ...(await this.observe()), goal: start?.prompt ?? null, ...defined({ actions: agentTools.schema }) };
    } catch (error) {
      await Promise.all([...connections.values()].map((connection) => connection.close()));
      if (!(error instanceof ProtocolError)) throw error;
      const message = `The environment could not be started: ${error.message}`;
      throw new EnvironmentError('environment_failed', message, { cause: error });
    }
  }

  async step(inputs: readonly ActionInput[]): Promise<StepResult> {
    const task = requireTask(this.#task);
    const { acted, response, infeasible, error } = await stepObjects(inputs, {
      act: async (value) => {
        const { observation, error } = await task.agentTools.act(value);
        task.observation = observation ?? task.observation;
        return error;
      },
    });
    task.response = response ?? task.response;
    const responseError = response === null ? null : await sendResponse(task, response);
    const info = { acted, ...(response === null ? {} : { response }) };
    return { ...(await this.observe()), info, terminated: infeasible, error: responseError ?? error };
  }

  async observe(): Promise<StepResult> {
    return { ...PLAIN_RESULT, observation: requireTask(this.#task).observation, info: {} };
  }

  async call(
    call: Call,
    phase: Phase,
    { response, signal }: { readonly response?: string; readonly signal: AbortSignal },
  ): Promise<CallResult> {
    const task = requireTask(this.#task);
    const { scenarios, spec, tools } = task;
    try {
      if (scenarios !== null && phase === 'evaluate') {
        const grade = await scenarios.grade(response ?? task.response, signal);
        return 'error' in grade ? grade : rewardOfScenario(scenarios.name, grade.text);
      }
      const tool = toolNamed(tools, call.function);
      if (tool === null) {
        const names = [...tools.keys()].join(', ');
        const message = `There is no tool \`${call.function}\` for ${phase}. The environment has ${names || 'no tools'}.`;
        return { error: { code: 'unknown_function', message } };
      }
      const params = { name: tool.ownName, arguments: call.args[0] ?? {} };
      const result = await tool.connection.ask(resultSchema, 'tools/call', params, signal);
      if (phase === 'evaluate') return rewardOfTool(call.function, result);
      if (spec.showsSetup) task.observation = observationOf(result);
      const text = resultText(result);
      if (result.isError !== true) return { value: null, reason: text };
      return { error: { code: 'call_threw', message: `The tool \`${call.function}\` failed: ${text}` } };
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      return { error: { code: 'call_threw', message: `\`${call.function}\`: ${error.message}` } };
    }
  }

  async close(): Promise<void> {
    const { connections = [] } = this.#task ?? {};
    this.#task = null;
    await Promise.all(connections.map((connection) => connection.close()));
  }

  async #connect(servers: ReadonlyMap<string, McpServer>, folder: string): Promise<ReadonlyMap<string, McpConnection>> {
    const results = await Promise.allSettled(
      [...servers].map(async ([name, server]) => {
        const transport =
          server.kind === 'url'
            ? new HttpTransport(name, server.url, server.headers)
            : new StdioTransport({ ...server, name, cwd: folder, log: this.#log });
        return [name, await McpConnection.open(transport, START_LIMIT)] as const;
      }),
    );
    const connections = new Map(results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])));
    const failure = results.find((one) => one.status === 'rejected');
    if (failure === undefined) return connections;
    await Promise.all([...connections.values()].map((connection) => connection.close()));
    throw failure.reason;
  }
}

/** Sends the response to the tool that the task names for it. Resolves with the error of the tool, or null. */
async function sendResponse({ spec, tools }: TaskState, response: string): Promise<StepResult['error']> {
  if (spec.responseTool === null) return null;
  const tool = toolNamed(tools, spec.responseTool);
  if (tool === null) {
    return { code: 'tool_error', message: `There is no tool “${spec.responseTool}” for the response.` };
  }
  return (await callForAgent(tool, spec.responseTool, { response })).error;
}

function readSpec(env: ResetOptions['task']['env'], variables: Readonly<Record<string, string>>): McpSpec {
  let servers: Json;
  try {
    servers = substitute(serversIn(env), variables);
  } catch (error) {
    if (!(error instanceof PlaceholderError)) throw error;
    throw new EnvironmentError('start_failed', `${error.message}.`, { cause: error });
  }
  const read = readMcp(env, servers);
  if ('problems' in read) throw new EnvironmentError('start_failed', `${read.problems[0]?.message}.`);
  return read;
}

/** The server of the `env.py` in a folder. */
async function serverOf(folder: string): Promise<ReadonlyMap<string, McpServer>> {
  if (!existsSync(join(folder, 'env.py'))) {
    const message =
      'The row only names its environment. Put its env.py next to the task file, or write the "url" of its server, or a "command" with its "args", into "env".';
    throw new EnvironmentError('start_failed', message);
  }
  const command = await locatePython(folder).catch((error: Error) => {
    throw new EnvironmentError('start_failed', error.message, { cause: error });
  });
  const env = { PYTHONDONTWRITEBYTECODE: '1', PYTHONUTF8: '1', HUD_TELEMETRY_ENABLED: 'false' };
  return new Map([['env.py', { kind: 'program', command, args: ['-c', SERVE_FILE], env }]]);
}

async function allTools(
  connections: ReadonlyMap<string, McpConnection>,
  limit: AbortSignal,
): Promise<ReadonlyMap<string, Tool>> {
  const tools = await Promise.all(
    [...connections].map(async ([name, connection]) => {
      const list = await connection.list(toolSchema, 'tools/list', 'tools', limit);
      return readTools(list, connections.size > 1 ? `${name}_` : '', connection);
    }),
  );
  return new Map(tools.flat().map((tool) => [tool.name, tool]));
}

/** The tool for a call: by its name here, or by its name on a server if only one server has it. */
function toolNamed(tools: ReadonlyMap<string, Tool>, name: string): Tool | null {
  const [own, ...others] = [...tools.values()].filter(({ ownName }) => ownName === name);
  return tools.get(name) ?? (others.length === 0 ? own : undefined) ?? null;
}

function isAllowed(name: string, { allowedTools, disallowedTools }: McpSpec): boolean {
  if (allowedTools !== null && !allowedTools.some((pattern) => matches(name, pattern))) return false;
  return !disallowedTools.some((pattern) => matches(name, pattern));
}

export const create: CreateEnvironment = ({ log }) => new McpEnvironment(log);
