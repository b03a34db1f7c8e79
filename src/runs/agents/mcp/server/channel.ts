import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { Quota, refusal } from './guard.ts';
import { serverOf, type ToolServer } from './tool-server.ts';

/** The largest request of a client in bytes. */
const MOST_BYTES = 4 * 1024 * 1024;
/** The time that answers have to reach a client when the run has ended, in ms. */
const LAST_ANSWERS_MS = 1_000;
const MOST_CONNECTIONS = 64;

/** How many requests a client may send. */
export interface Limits {
  readonly perMinute: number;
  readonly total: number;
}

/** The tools of one run. */
export interface AgentServer extends ToolServer {
  /** Called when a client with the token has sent a request. Returns what to call when it is answered. */
  requested(): () => void;
}

/** A server that listens on this machine. */
export interface ChannelServer {
  readonly url: string;
  /** Lets the answers in progress reach their clients, and stops listening. */
  close(): Promise<void>;
}

/**
 * Serves the tools of a run over MCP (streamable HTTP, all released revisions) on a free port of the loopback interface.
 * Rejects with a system error if it cannot listen.
 */
export async function listen(agent: AgentServer, token: string, limits: Limits): Promise<ChannelServer> {
  const mcp = createMcpHandler(() => serverOf(agent), { legacy: 'stateless', maxRequestBodySize: MOST_BYTES });
  const quota = new Quota(limits.perMinute, limits.total);
  let port = 0;
  let answering = 0;
  let closing = false;
  const http = createServer({ requestTimeout: 30_000, headersTimeout: 10_000 }, (request, response) => {
    const refused = refusal(request.headers, port, token) ?? quota.take();
    if (refused !== null) {
      const more = refused.status === 401 ? { 'www-authenticate': 'Bearer' } : {};
      answer(request, response, refused.status, refused.message, more);
      return;
    }
    if (request.url !== '/mcp') {
      answer(request, response, 404, 'The run is at /mcp.');
      return;
    }
    const answered = agent.requested();
    answering += 1;
    response.once('close', () => {
      answered();
      answering -= 1;
      // A client keeps its connection for its next request.
      if (closing && answering === 0) http.closeAllConnections();
    });
    // A client that leaves cancels its request; nothing is left to tell it.
    forward(request, response, (given) => mcp.fetch(given)).catch(() => response.destroy());
  });
  http.maxConnections = MOST_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    http.listen(0, '127.0.0.1', resolve);
  });
  ({ port } = http.address() as AddressInfo);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close: async () => {
      closing = true;
      const closed = new Promise<void>((resolve) => http.close(() => resolve()));
      const timer = setTimeout(() => http.closeAllConnections(), LAST_ANSWERS_MS);
      if (answering === 0) http.closeAllConnections();
      await closed;
      clearTimeout(timer);
      await mcp.close();
    },
  };
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  // The rest of the request is not read.
  request.resume();
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...headers });
  response.end(JSON.stringify({ error: message }));
}

/** Passes a request of Node on as a web request, and the answer back. */
async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  fetch: (request: Request) => Promise<Response>,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const { method = 'GET', headers, url = '/' } = request;
  const withBody = method !== 'GET' && method !== 'HEAD';
  const given = new Request(`http://${headers.host}${url}`, {
    method,
    headers: Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as [string, string]] : [],
    ),
    signal: gone.signal,
    ...(withBody ? { body: Readable.toWeb(request) as ReadableStream<Uint8Array>, duplex: 'half' } : {}),
  } as RequestInit);
  const { status, headers: sent, body } = await fetch(given);
  response.writeHead(status, Object.fromEntries(sent));
  if (body === null) response.end();
  else await pipeline(Readable.fromWeb(body as ReadableStream<Uint8Array>), response);
}
