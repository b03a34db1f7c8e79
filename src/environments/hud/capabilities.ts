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
/** How often a capability is connected to, and the first pause in ms: as HUD's own client does. */
const ATTEMPTS = 3;
const FIRST_PAUSE = 250;

/** What agents can use, and what keeps it open. */
export interface OpenCapabilities {
  readonly tools: readonly Tool[];
  /** Null if the environment offers neither a browser nor a desktop. */
  readonly surface: Surface | null;
  /** Runs commands; null if the environment offers no shell. */
  readonly commands: Shell | null;
  /** What an environment offers that agents cannot use here; null if nothing. */
  readonly unused: string | null;
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
  offered: readonly Capability[],
  task: Task,
  log: (text: string) => void,
): Promise<OpenCapabilities> {
  const servers = offered.filter(isTools);
  const first = (...protocols: readonly string[]): Capability | null =>
    protocols.flatMap((protocol) => offered.filter((one) => one.protocol.startsWith(`${protocol}/`)))[0] ?? null;
  const shown = first('cdp', 'rfb');
  const ssh = offered.find(isShell) ?? null;
  const used = [...servers, shown, ssh];
  const others = offered.filter((one) => !used.includes(one) && !one.protocol.startsWith('filetracking/'));
  let surface: Surface | null = null;
  let commands: Shell | null = null;
  const open: { readonly tunnel: Tunnel; readonly connection: McpConnection; readonly tools: readonly Tool[] }[] = [];
  const close = async (): Promise<void> => {
    await Promise.all([surface?.close(), commands?.close(), ...open.map(({ connection }) => connection.close())]);
    for (const { tunnel } of open) tunnel.close();
  };
  try {
    for (const server of servers) {
      const { tunnel, connection, listed } = await connect(address, server);
      const prefix = servers.length > 1 ? `${server.name}_` : '';
      open.push({ tunnel, connection, tools: readTools(listed, prefix, connection) });
    }
    if (shown !== null) surface = await openSurface(address, shown, task, log);
    if (ssh !== null) commands = await openShell(address, ssh);
  } catch (error) {
    await close();
    throw error;
  }
  const names = others.map(({ name, protocol }) => `“${name}” (${protocol})`).join(', ');
  return {
    tools: open.flatMap(({ tools }) => tools),
    surface,
    commands,
    unused: names === '' ? null : `Agents cannot use what the environment also offers: ${names}.`,
    lost: [...open.map(({ connection }) => connection.lost), ...(surface === null ? [] : [surface.broken])],
    close,
  };
}

/** An MCP server over streamable HTTP. */
function isTools({ protocol, url, params }: Capability): boolean {
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
    throw unreached(isBrowser ? 'browser' : 'desktop', capability, address, error);
  }
}

async function openShell(address: string, capability: Capability): Promise<Shell> {
  try {
    return await Shell.open(address, capability);
  } catch (error) {
    throw unreached('shell', capability, address, error);
  }
}

function unreached(what: string, { name }: Capability, address: string, error: unknown): EnvironmentError {
  const why = (error as Error).message.split('\n')[0];
  const message = `The ${what} “${name}” of the HUD environment at ${withoutCredentials(address)} cannot be reached: ${why}`;
  return new EnvironmentError('start_failed', message, { cause: error });
}

/** A session with an MCP server, and the tools that it lists. */
async function connect(
  address: string,
  { name, url, params }: Capability,
): Promise<{
  readonly tunnel: Tunnel;
  readonly connection: McpConnection;
  readonly listed: Parameters<typeof readTools>[0];
}> {
  const tunnel = new Tunnel(address, name);
  const inside = new URL(url);
  inside.protocol = 'http:';
  const { auth_token: token } = params;
  const headers = typeof token === 'string' && token !== '' ? { authorization: `Bearer ${token}` } : undefined;
  for (let attempt = 1; ; attempt += 1) {
    let connection: McpConnection | null = null;
    try {
      const transport = new HttpTransport(name, inside.href, headers ?? {}, tunnel.fetch);
      connection = await McpConnection.open(transport, ANSWER_LIMIT);
      const late = AbortSignal.timeout(ANSWER_LIMIT);
      const listed = await connection.list(toolSchema, 'tools/list', 'tools', late).catch((error: unknown) => {
        if (!late.aborted) throw error;
        throw new Error(`it did not list its tools within ${ANSWER_LIMIT / 1000} s`, { cause: error });
      });
      return { tunnel, connection, listed };
    } catch (error) {
      await connection?.close();
      if (attempt < ATTEMPTS) {
        await new Promise((resolve) => setTimeout(resolve, FIRST_PAUSE * 2 ** (attempt - 1)));
        continue;
      }
      tunnel.close();
      const why = tunnel.refused ?? (error as Error).message;
      const message = `The tools “${name}” of the HUD environment at ${withoutCredentials(address)} cannot be reached: ${why}`;
      throw new EnvironmentError('start_failed', message, { cause: error });
    }
  }
}
