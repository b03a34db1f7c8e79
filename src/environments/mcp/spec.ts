import { isList, isObject, type Json, type JsonObject, objectOf } from '../../base/json.ts';
import type { NumberTexts } from '../../python/numbers.ts';
import type { EnvironmentSpec } from '../../tasks/task.ts';
import type { SpecProblem } from '../spec-problems.ts';

/** How one MCP server is reached. */
export type McpServer =
  | {
      readonly kind: 'program';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'url'; readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** A scenario of HUD 0.5. */
export interface Scenario {
  /** The name of its environment, which is part of the scenario's full name; null if the row has none. */
  readonly environment: string | null;
  readonly name: string;
  readonly args: JsonObject;
  /** How numbers in `{args}` are written. */
  readonly numbers?: NumberTexts;
}

export interface McpSpec {
  /** By name. Empty: the environment is `env.py` in the folder of the task. */
  readonly servers: ReadonlyMap<string, McpServer>;
  readonly scenario: Scenario | null;
  /** Patterns of the names of tools; null for all. */
  readonly allowedTools: readonly string[] | null;
  readonly disallowedTools: readonly string[];
  /** The tool that gets the agent's response. */
  readonly responseTool: string | null;
  /** Whether the agent sees the results of setup calls. */
  readonly showsSetup: boolean;
}

/** A problem with MCP servers. Its path is in the servers. */
export interface McpProblem extends SpecProblem {
  readonly code: 'no-server' | 'mcp-server' | 'mcp-url';
}

/** Whether a program starts a container, with `docker run` or `podman run`. */
export function startsContainer(command: string, args: readonly string[]): boolean {
  return /^(?:docker|podman)$/.test(command) && args[0] === 'run';
}

/** The MCP servers of an environment as written. */
export function serversIn(env: EnvironmentSpec): Json {
  return env['mcp_config'] ?? env['config'] ?? null;
}

/**
 * Reads an environment of MCP servers, or what is wrong with it. Does not access the disk or the network.
 * @param servers those of the environment, with the values of its variables
 */
export function readMcp(env: EnvironmentSpec, servers: Json): McpSpec | { readonly problems: readonly McpProblem[] } {
  const { scenario, name, args, numbers } = env;
  const problems: McpProblem[] = [];
  const read = readServers(servers, typeof scenario === 'string', problems);
  if (problems.length > 0) return { problems };
  return {
    servers: read,
    scenario:
      typeof scenario === 'string'
        ? {
            environment: typeof name === 'string' ? name : null,
            name: scenario,
            args: objectOf(args),
            numbers: objectOf(numbers) as NumberTexts,
          }
        : null,
    allowedTools: texts(env['allowed_tools']),
    disallowedTools: texts(env['disallowed_tools']) ?? [],
    responseTool: typeof env['response_tool_name'] === 'string' ? env['response_tool_name'] : null,
    showsSetup: env['append_setup_output'] !== false,
  };
}

function readServers(value: Json, mayBeNone: boolean, problems: McpProblem[]): ReadonlyMap<string, McpServer> {
  // In data sets, it is JSON as a text.
  const config = typeof value === 'string' ? parse(value) : value;
  if (!isObject(config) || Object.keys(config).length === 0) {
    if (!(mayBeNone && config === null)) {
      problems.push({ path: [], code: 'no-server', message: 'No MCP server is specified, so there is no environment' });
    }
    return new Map();
  }
  const servers = new Map<string, McpServer>();
  for (const [name, server] of Object.entries(config)) {
    const read = isObject(server) ? readServer(server, name, problems) : null;
    if (read !== null) servers.set(name, read);
    else if (!problems.some(({ path }) => path[0] === name)) {
      const message = `The MCP server “${name}” needs a "url", or a "command" with its "args"`;
      problems.push({ path: [name], code: 'mcp-server', message });
    }
  }
  return servers;
}

function readServer(
  { url, headers, command, args, env }: JsonObject,
  name: string,
  problems: McpProblem[],
): McpServer | null {
  if (typeof url === 'string') {
    if (URL.canParse(url) && /^https?:/i.test(url)) return { kind: 'url', url, headers: strings(headers) };
    const message = `The address of the MCP server “${name}” must begin with http:// or https://; “${url}” does not`;
    problems.push({ path: [name, 'url'], code: 'mcp-url', message });
    return null;
  }
  if (typeof command !== 'string' || command === '') return null;
  if (args !== undefined && args !== null && texts(args) === null) return null;
  return { kind: 'program', command, args: texts(args) ?? [], env: strings(env) };
}

function strings(value: Json | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(objectOf(value)).flatMap(([key, one]) =>
      typeof one === 'object' ? [] : [[key, typeof one === 'string' ? one : JSON.stringify(one)]],
    ),
  );
}

/** Null for a value that is not a list of texts. */
function texts(value: Json | undefined): readonly string[] | null {
  return isList(value) && value.every((one) => typeof one === 'string') ? value : null;
}

/** Null for a text that is not JSON. */
function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}
