import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { AgentAddress } from '../agents/agent-kind.ts';
import { isObject } from '../base/json.ts';
import { parseJson } from '../base/parse-json.ts';

type Message = { readonly [key: string]: unknown };

/** Time for the notification that the client leaves, in ms. */
const LEAVE_MS = 1_000;

const VERSION = 'io.modelcontextprotocol/protocolVersion';

/**
 * Passes the messages of an MCP client on standard streams on to the MCP server of a run, and the answers back. Resolves
 * when the client has closed its end and all its requests are answered, or when the signal is aborted.
 */
export async function bridge(
  address: AgentAddress,
  streams: { readonly input: NodeJS.ReadableStream; readonly output: NodeJS.WritableStream },
  signal: AbortSignal,
): Promise<void> {
  const pending = new Map<unknown, AbortController>();
  const write = (message: unknown): void => void streams.output.write(`${JSON.stringify(message)}\n`);
  const pass = async (message: Message): Promise<void> => {
    const { id, method, params } = message;
    if (method === 'notifications/cancelled') pending.get((params as Message | undefined)?.['requestId'])?.abort();
    const cancellation = new AbortController();
    if (id !== undefined) pending.set(id, cancellation);
    try {
      await send(address, message, AbortSignal.any([signal, cancellation.signal]), write);
    } catch (error) {
      if (id === undefined || cancellation.signal.aborted || signal.aborted) return;
      const reason =
        error instanceof RequestRefused ? error.message : 'The run has ended, or does not wait for an agent yet.';
      write({ jsonrpc: '2.0', id, error: { code: -32_000, message: reason } });
    } finally {
      pending.delete(id);
    }
  };
  const lines = createInterface({ input: streams.input, signal });
  const passing = new Set<Promise<void>>();
  for await (const line of lines) {
    const message = readMessage(line);
    if (message === null) {
      if (line.trim() !== '') write({ jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'Parse error' } });
      continue;
    }
    const one = pass(message).finally(() => passing.delete(one));
    passing.add(one);
    // The run knows the client before its next message.
    if (message['method'] === 'initialize') await one;
  }
  await Promise.all(passing);
  // So that the run does not wait for the client. The run may have ended, too.
  const leaving = { method: 'DELETE', headers: authorization(address), signal: AbortSignal.timeout(LEAVE_MS) };
  await fetch(address.url, leaving).catch(() => {});
}

function authorization({ token }: AgentAddress): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

/** The server refused a request. */
class RequestRefused extends Error {}

function readMessage(line: string): Message | null {
  try {
    const value = parseJson(line);
    return isObject(value) ? (value as Message) : null;
  } catch {
    return null;
  }
}

/** Sends one message, and writes what the server answers. */
async function send(
  address: AgentAddress,
  message: Message,
  signal: AbortSignal,
  write: (message: unknown) => void,
): Promise<void> {
  const response = await fetch(address.url, {
    method: 'POST',
    headers: {
      ...authorization(address),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headersOf(message),
    },
    body: JSON.stringify(message),
    signal,
  });
  const type = response.headers.get('content-type') ?? '';
  if (response.status === 401 || response.status === 403 || response.status === 429) {
    throw new RequestRefused(((await response.json()) as { error: string }).error);
  }
  if (type.startsWith('text/event-stream')) {
    for await (const data of eventsIn(response)) write(JSON.parse(data));
  } else if (type.startsWith('application/json')) write(await response.json());
  else await response.body?.cancel();
}

/** The data of the events of an answer, each as soon as it arrives. */
async function* eventsIn(response: Response): AsyncGenerator<string> {
  const lines = createInterface({ input: Readable.from(response.body ?? []) });
  let data: string[] = [];
  for await (const line of lines) {
    if (line.startsWith('data:')) data.push(line.slice(5).trim());
    else if (line === '' && data.length > 0) {
      yield data.join('\n');
      data = [];
    }
  }
}

/** The headers that the newest revision of the protocol requires beside the body of a request. */
function headersOf({ method, params }: Message): Record<string, string> {
  const { _meta: meta, name } = (params ?? {}) as { _meta?: Message; name?: unknown };
  const version = meta?.[VERSION];
  if (typeof version !== 'string') return {};
  return {
    'mcp-protocol-version': version,
    'mcp-method': String(method),
    ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
  };
}
