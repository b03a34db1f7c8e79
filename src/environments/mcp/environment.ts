import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ProtocolError } from '@modelcontextprotocol/client';
import type { ActionInput } from '../../actions/action.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import type { CallResult, Phase } from '../../functions/declaration.ts';
import { RARE_COLLECTIONS } from '../../functions/user/python/collections.ts';
import { locatePython } from '../../functions/user/python/locate.ts';
import type { Call } from '../../tasks/task.ts';
import {
  type Environment,
  EnvironmentError,
  type ResetOptions,
  type StartResult,
  type StepResult,
} from '../environment.ts';
import { startLimit } from '../start-limit.ts';
import { stepObjects } from '../step-objects.ts';
import { AgentTools, callForAgent } from './agent-tools.ts';
import { McpConnection } from './client/connection.ts';
import { HttpTransport } from './client/http.ts';
import { StdioTransport } from './client/stdio.ts';
import { NOTHING_SEEN, observationOf, resultSchema, type Seen } from './observation.ts';
import { rewardOfScenario, rewardOfTool, type ToolResult, textOf } from './reward.ts';
import { Scenarios, SUBMIT } from './scenario.ts';
import { type McpServer, type McpSpec, readMcp, serversIn } from './spec.ts';
import { PlaceholderError, substitute } from './template.ts';
import { matches, readTools, type Tool, toolSchema } from './tools.ts';

/** How long a server may take to start, in ms: a container, or a program that imports HUD. */
const START_LIMIT = 120_000;

/** Serves the environment of an `env.py` of HUD 0.5 over standard streams, whose standard output is for messages alone. */
const SERVE_FILE = `
import os, sys
${RARE_COLLECTIONS}
# What it prints is logged at once, and not lost when it is ended.
sys.stdout.reconfigure(line_buffering=True)
sys.path.insert(0, os.getcwd())
import env as module
found = getattr(module, 'env', None) or getattr(module, 'mcp', None)
if found is None:
    sys.exit('env.py defines no environment named env')
found.run(transport='stdio')
`;

/** A task in progress. */
interface Started {
  readonly spec: McpSpec;
  readonly connections: readonly McpConnection[];
  /** All tools, also those that the agent has not. */
  readonly tools: ReadonlyMap<string, Tool>;
  /** Those of the agent. */
  readonly agentTools: AgentTools;
  readonly scenarios: Scenarios | null;
  seen: Seen;
  response: string | null;
}

/** The tools of MCP servers, as environments of HUD 0.4 and 0.5 are made of. */
export class McpEnvironment implements Environment {
  readonly #log: (text: string) => void;
  #started: Started | null = null;
  /** What the current task breaks by. */
  #break: (error: EnvironmentError) => void = () => {};
  #broken: Promise<never> = new Promise(() => {});

  constructor(log: (text: string) => void) {
    this.#log = log;
  }

  get broken(): Promise<never> {
    return this.#broken;
  }

  async reset(options: ResetOptions): Promise<StartResult> {
    const { task, files, variables = {} } = options;
    await this.close();
    const spec = readSpec(task.env, variables);
    const folder = 'folder' in files ? files.folder : '';
    const servers = spec.servers.size > 0 ? spec.servers : await serverOf(folder);
    const connections = await this.#connect(servers, folder);
    try {
      this.#broken = new Promise((_resolve, reject) => {
        this.#break = reject;
      });
      // Whoever waits for it has the error.
      this.#broken.catch(() => {});
      for (const { lost } of connections.values()) lost.catch((error: EnvironmentError) => this.#break(error));
      const limit = startLimit(options);
      const tools = await allTools(connections, limit);
      const scenarios = spec.scenario === null ? null : new Scenarios([...connections.values()], spec.scenario);
      const begun = (await scenarios?.begin(limit)) ?? null;
      const hidden = new Set([
        SUBMIT,
        ...(spec.responseTool === null ? [] : [spec.responseTool]),
        ...[...task.setup, ...task.evaluate].map((call) => call.function),
      ]);
      const offered = [...tools.values()].filter(
        ({ name, ownName }) =>
          !hidden.has(name) && !hidden.has(ownName) && isAllowed(name, spec) && (begun?.offers(name) ?? true),
      );
      const agentTools = new AgentTools(offered, this.#log);
      const { schema } = agentTools;
      this.#started = {
        spec,
        connections: [...connections.values()],
        tools,
        agentTools,
        scenarios,
        seen: begun?.seen ?? NOTHING_SEEN,
        response: null,
      };
      return {
        ...(await this.observe()),
        goal: begun?.prompt ?? null,
        ...(schema === null ? {} : { actions: schema }),
      };
    } catch (error) {
      await Promise.all([...connections.values()].map((connection) => connection.close()));
      if (!(error instanceof ProtocolError)) throw error;
      const message = `The environment could not be started: ${error.message}`;
      throw new EnvironmentError('environment_failed', message, { cause: error });
    }
  }

  async step(inputs: readonly ActionInput[]): Promise<StepResult> {
    const started = this.#current();
    const stepped = await stepObjects(inputs, { act: (value) => this.#act(started, value) });
    const { acted, response, infeasible } = stepped;
    let { error } = stepped;
    if (response !== null) {
      started.response = response;
      error = (await this.#respond(started, response)) ?? error;
    }
    const result = await this.observe();
    const info = { acted, ...(response === null ? {} : { response }) };
    return { ...result, info, terminated: infeasible, error };
  }

  async observe(): Promise<StepResult> {
    return { observation: this.#current().seen, reward: null, terminated: false, info: {}, error: null };
  }

  async call(
    call: Call,
    phase: Phase,
    { response, signal }: { readonly response?: string; readonly signal: AbortSignal },
  ): Promise<CallResult> {
    const started = this.#current();
    const { scenarios, spec } = started;
    const answer = response ?? started.response;
    try {
      if (scenarios !== null && phase === 'evaluate') {
        const grade = await scenarios.grade(answer, signal);
        return 'error' in grade ? grade : rewardOfScenario(scenarios.name, grade.text);
      }
      const tool = toolNamed(started.tools, call.function);
      if (tool === null) {
        const names = [...started.tools.keys()].join(', ');
        const message = `There is no tool \`${call.function}\` for ${phase}. The environment has ${names || 'no tools'}.`;
        return { error: { code: 'unknown_function', message } };
      }
      const result = await callTool(tool, call.args[0] ?? {}, signal);
      if (phase === 'evaluate') return rewardOfTool(call.function, result);
      if (spec.showsSetup) started.seen = observationOf(result);
      const said = textOf(result);
      if (result.isError !== true) return { value: null, reason: said };
      return { error: { code: 'call_threw', message: `The tool \`${call.function}\` failed: ${said}` } };
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      return { error: { code: 'call_threw', message: `\`${call.function}\`: ${error.message}` } };
    }
  }

  async close(): Promise<void> {
    const { connections = [] } = this.#started ?? {};
    this.#started = null;
    await Promise.all(connections.map((connection) => connection.close()));
  }

  async #connect(servers: ReadonlyMap<string, McpServer>, folder: string): Promise<ReadonlyMap<string, McpConnection>> {
    const opened = await Promise.allSettled(
      [...servers].map(async ([name, server]) => {
        const transport =
          server.kind === 'url'
            ? new HttpTransport(name, server.url, server.headers)
            : new StdioTransport({ ...server, name, cwd: folder, log: this.#log });
        return [name, await McpConnection.open(transport, START_LIMIT)] as const;
      }),
    );
    const connections = new Map(opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])));
    const failed = opened.find((one) => one.status === 'rejected');
    if (failed === undefined) return connections;
    await Promise.all([...connections.values()].map((connection) => connection.close()));
    throw failed.reason;
  }

  async #act(started: Started, action: JsonObject): Promise<StepResult['error']> {
    const { seen, error } = await started.agentTools.act(action);
    if (seen !== undefined) started.seen = seen;
    return error;
  }

  /** Passes the response on to the tool that the task names for it. */
  async #respond({ spec, tools }: Started, response: string): Promise<StepResult['error']> {
    if (spec.responseTool === null) return null;
    const tool = toolNamed(tools, spec.responseTool);
    if (tool === null) {
      return { code: 'tool_error', message: `There is no tool “${spec.responseTool}” for the response.` };
    }
    return (await callForAgent(tool, spec.responseTool, { response })).error;
  }

  #current(): Started {
    if (this.#started === null) {
      throw new EnvironmentError('environment_failed', 'The environment has no task yet. Reset it first.');
    }
    return this.#started;
  }
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
      const listed = await connection.list(toolSchema, 'tools/list', 'tools', limit);
      return readTools(listed, connections.size > 1 ? `${name}_` : '', connection);
    }),
  );
  return new Map(tools.flat().map((tool) => [tool.name, tool]));
}

/** The tool that a call of the task means: by its name here, or by that on its server where only one has it. */
function toolNamed(tools: ReadonlyMap<string, Tool>, name: string): Tool | null {
  const [own, ...others] = [...tools.values()].filter(({ ownName }) => ownName === name);
  return tools.get(name) ?? (others.length === 0 ? own : undefined) ?? null;
}

function isAllowed(name: string, { allowed, disallowed }: McpSpec): boolean {
  if (allowed !== null && !allowed.some((pattern) => matches(name, pattern))) return false;
  return !disallowed.some((pattern) => matches(name, pattern));
}

async function callTool({ connection, ownName }: Tool, args: Json, signal: AbortSignal): Promise<ToolResult> {
  return connection.ask(resultSchema, 'tools/call', { name: ownName, arguments: args }, signal);
}
