import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { RunHandler } from '../port.ts';
import { serverOf, type ToolServer } from './tool-server.ts';

/** The largest request of a client in bytes. */
const MAX_BYTES = 4 * 1024 * 1024;

/** The tools of one run. */
export interface AgentServer extends ToolServer {
  /** Called when a client with the token has sent a request. Returns what to call when it is answered. */
  startRequest(): () => void;
  /** Called when a client reports that it leaves. */
  left(): void;
}

/** Answers the requests of a run's clients over MCP (streamable HTTP, all released revisions). */
export function handlerOf(agent: AgentServer): RunHandler {
  const mcp = createMcpHandler(() => serverOf(agent), { legacy: 'stateless', maxRequestBodySize: MAX_BYTES });
  return {
    handle: (request, response) => {
      // Clients end a session with this request. There are no sessions, but it shows that the client leaves.
      if (request.method === 'DELETE') {
        agent.left();
        response.writeHead(204).end();
        return;
      }
      response.once('close', agent.startRequest());
      // A client that leaves cancels its request, and needs no answer.
      forward(request, response, (given) => mcp.fetch(given)).catch(() => response.destroy());
    },
    close: () => mcp.close(),
  };
}

/** Passes a request of Node on as a web request, and the answer back. */
async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  fetch: (request: Request) => Promise<Response>,
): Promise<void> {
  const disconnection = new AbortController();
  response.once('close', () => disconnection.abort());
  const { method = 'GET', headers, url = '/' } = request;
  const withBody = method !== 'GET' && method !== 'HEAD';
  const webRequest = new Request(`http://${headers.host}${url}`, {
    method,
    headers: Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as [string, string]] : [],
    ),
    signal: disconnection.signal,
    ...(withBody ? { body: Readable.toWeb(request) as ReadableStream<Uint8Array>, duplex: 'half' } : {}),
  } as RequestInit);
  const { status, headers: responseHeaders, body } = await fetch(webRequest);
  response.writeHead(status, Object.fromEntries(responseHeaders));
  if (body === null) response.end();
  else await pipeline(Readable.fromWeb(body as ReadableStream<Uint8Array>), response);
}
