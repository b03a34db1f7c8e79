import { setTimeout as pause } from 'node:timers/promises';
import { textOf } from '../../base/json.ts';
import type { Task } from '../../tasks/task.ts';
import { withoutCredentials } from '../credentials.ts';
import { EnvironmentError } from '../environment.ts';
import { McpConnection } from '../mcp/client/connection.ts';
import { HttpTransport } from '../mcp/client/http.ts';
import { readTools, type Tool, toolSchema } from '../mcp/tools.ts';
import type { Capability, Surface } from './capability.ts';
import { isShell, Shell } from './shell.ts';
import { Tunnel } from './tunnel.ts';

/** Time limit for an MCP server to answer, in ms. */
const ANSWER_LIMIT = 60_000;
/** The number of attempts to connect to a capability, and the first pause in ms, as in HUD's own client. */
const ATTEMPTS = 3;
const FIRST_PAUSE = 250;

/** The capabilities that agents can use. */
export interface OpenCapabilities {
  readonly tools: readonly Tool[];
  /** Null if the environment offers neither a browser nor a desktop. */
  readonly surface: Surface | null;
  /** Runs commands; null if the environment offers no shell. */
  readonly commands: Shell | null;
  /** A warning about capabilities that agents cannot use here, or null. */
  readonly unusedWarning: string | null;
  /** Rejects with `EnvironmentError` if a server is lost; never resolves. */
  readonly lost: readonly Promise<never>[];
  close(): Promise<void>;
}

/**
 * Opens the MCP servers among the capabilities and the first browser, else the first desktop, through
 * the environment's own port. Rejects with `EnvironmentError`.
 */
export async function openCapabilities(
  address: string,
  capabilities: readonly Capability[],
  task: Task,
  log: (text: string) => void,
): Promise<OpenCapabilities> {
  const servers = capabilities.filter(isToolServer);
  const first = (protocol: string): Capability | undefined =>
    capabilities.find((one) => one.protocol.startsWith(`${protocol}/`));
  const screen = first('cdp') ?? first('rfb');
  const ssh = capabilities.find(isShell);
  const usable = [...servers, screen, ssh];
  const others = capabilities.filter((one) => !usable.includes(one) && !one.protocol.startsWith('filetracking/'));
  let surface: Surface | null = null;
  let commands: Shell | null = null;
  const open: ToolServer[] = [];
  const close = async (): Promise<void> => {
    await Promise.all([surface?.close(), commands?.close(), ...open.map(({ connection }) => connection.close())]);
    for (const { tunnel } of open) tunnel.close();
  };
  try {
    for (const server of servers) {
      open.push(await connect(address, server, servers.length > 1 ? `${server.name}_` : ''));
    }
    if (screen !== undefined) surface = await openSurface(address, screen, task, log);
    if (ssh !== undefined) {
      commands = await Shell.open(address, ssh).catch((error: Error) => {
        throw unreachable('shell', ssh, address, error.message.split('\n')[0], error);
      });
    }
  } catch (error) {
    await close();
    throw error;
  }
  const names = others.map(({ name, protocol }) => `“${name}” (${protocol})`).join(', ');
  return {
    tools: open.flatMap(({ tools }) => tools),
    surface,
    commands,
    unusedWarning: names === '' ? null : `Agents cannot use what the environment also offers: ${names}.`,
    lost: [...open.map(({ connection }) => connection.lost), ...(surface === null ? [] : [surface.broken])],
    close,
  };
}

/** An MCP server over streamable HTTP. */
function isToolServer({ protocol, url, params }: Capability): boolean {
  const transport = params['transport'] ?? 'streamable-http';
  return protocol.startsWith('mcp/') && transport === 'streamable-http' && /^https?:\/\//.test(url);
}

async function openSurface(
  address: string,
  capability: Capability,
  task: Task,
  log: (text: string) => void,
): Promise<Surface> {
  const isBrowser = capability.protocol.startsWith('cdp/');
  try {
    if (isBrowser) return await (await import('./browser.ts')).openPages(address, capability, task, log);
    return await (await import('./desktop.ts')).openDesktop(address, capability, log);
  } catch (error) {
    const reason = (error as Error).message.split('\n')[0];
    throw unreachable(isBrowser ? 'browser' : 'desktop', capability, address, reason, error);
  }
}

function unreachable(
  what: string,
  { name }: Capability,
  address: string,
  reason: string | undefined,
  cause: unknown,
): EnvironmentError {
  const message = `The ${what} “${name}” of the HUD environment at ${withoutCredentials(address)} cannot be reached: ${reason}`;
  return new EnvironmentError('start_failed', message, { cause });
}

/** A session with an MCP server, and its tools. */
interface ToolServer {
  readonly tunnel: Tunnel;
  readonly connection: McpConnection;
  readonly tools: readonly Tool[];
}

/** @param prefix of the names of the tools */
async function connect(address: string, capability: Capability, prefix: string): Promise<ToolServer> {
  const { name, url, params } = capability;
  const tunnel = new Tunnel(address, name);
  const serverUrl = new URL(url);
  serverUrl.protocol = 'http:';
  const token = textOf(params['auth_token']);
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  for (let attempt = 1; ; attempt += 1) {
    let connection: McpConnection | null = null;
    try {
      const transport = new HttpTransport(name, serverUrl.href, headers, tunnel.fetch);
      connection = await McpConnection.open(transport, ANSWER_LIMIT);
      const late = AbortSignal.timeout(ANSWER_LIMIT);
      const list = await connection.list(toolSchema, 'tools/list', 'tools', late).catch((error: unknown) => {
        if (!late.aborted) throw error;
        throw new Error(`it did not list its tools within ${ANSWER_LIMIT / 1000} s`, { cause: error });
      });
      return { tunnel, connection, tools: readTools(list, prefix, connection) };
    } catch (error) {
      await connection?.close();
      if (attempt < ATTEMPTS) {
        await pause(FIRST_PAUSE * 2 ** (attempt - 1));
        continue;
      }
      tunnel.close();
      throw unreachable('tools', capability, address, tunnel.refusal ?? (error as Error).message, error);
    }
  }
}
