import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ProtocolError } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it } from 'vitest';
import { EnvironmentError } from '../../../../src/environments/environment.ts';
import { McpConnection } from '../../../../src/environments/mcp/client/connection.ts';
import { HttpTransport } from '../../../../src/environments/mcp/client/http.ts';
import { toolSchema } from '../../../../src/environments/mcp/tools.ts';

interface Asked {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly [key: string]: unknown };
}

interface Received {
  readonly verb: string;
  readonly headers: IncomingMessage['headers'];
  readonly asked: Asked;
}

let server: Server | null = null;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

const LIMIT = 10_000;
const signal = new AbortController().signal;
const json = { 'content-type': 'application/json', 'mcp-session-id': 's1' };
const events = { 'content-type': 'text/event-stream', 'mcp-session-id': 's1' };

/** Serves MCP; `answer` gives the answer to what is not part of every session, and `end` comes before its end. */
async function serving(
  answer: (asked: Asked, response: ServerResponse) => void,
  end?: () => Promise<void>,
): Promise<{ readonly url: string; readonly received: readonly Received[] }> {
  const received: Received[] = [];
  server = createServer(async (request, response) => {
    // No stream of its own.
    if (request.method === 'GET') return void response.writeHead(405).end();
    const chunks = await request.toArray();
    const text = Buffer.concat(chunks as Buffer[]).toString();
    const asked = (text === '' ? {} : JSON.parse(text)) as Asked;
    received.push({ verb: request.method ?? '', headers: request.headers, asked });
    if (request.method === 'DELETE') {
      await end?.();
      response.writeHead(200).end();
    } else if (asked.method === 'initialize') {
      const result = { protocolVersion: '2025-03-26', capabilities: {}, serverInfo: { name: 'x', version: '1' } };
      response.writeHead(200, json).end(JSON.stringify({ jsonrpc: '2.0', id: asked.id, result }));
    } else if (asked.id === undefined || asked.method === undefined) response.writeHead(202).end();
    else answer(asked, response);
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, received };
}

const open = (url: string, headers = {}) => McpConnection.open(new HttpTransport('count', url, headers), LIMIT);

/** A server that answers every request with a status, before a session or in it. */
async function refusing(status: number, headers = {}, body = ''): Promise<string> {
  server = createServer((_request, response) => response.writeHead(status, headers).end(body));
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

describe('an MCP server over HTTP', () => {
  it('is one session: its headers come with every request, and it is ended', async () => {
    const { url, received } = await serving(({ id }, response) =>
      response.writeHead(200, json).end(JSON.stringify({ jsonrpc: '2.0', id, result: { tools: [{ name: 'a' }] } })),
    );
    const connection = await open(url, { authorization: 'Bearer key' });
    expect(await connection.list(toolSchema, 'tools/list', 'tools', signal)).toEqual([{ name: 'a' }]);
    await connection.close();

    expect(received.map(({ verb, asked }) => `${verb} ${asked.method ?? ''}`)).toEqual([
      'POST initialize',
      'POST notifications/initialized',
      'POST tools/list',
      'DELETE ',
    ]);
    for (const { headers } of received) expect(headers.authorization).toBe('Bearer key');
    for (const { headers } of received.slice(1)) {
      expect(headers).toMatchObject({ 'mcp-session-id': 's1', 'mcp-protocol-version': '2025-03-26' });
    }
  });

  it('answers by events, among others and with requests of its own', async () => {
    const { url, received } = await serving(({ id }, response) => {
      const send = (message: object) => response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
      response.writeHead(200, events);
      send({ jsonrpc: '2.0', method: 'notifications/progress', params: {} });
      send({ jsonrpc: '2.0', id: 77, method: 'ping' });
      send({ jsonrpc: '2.0', id: 'r', method: 'roots/list' });
      send({ jsonrpc: '2.0', id, result: { content: [] } });
      response.end();
    });
    const connection = await open(url);
    expect(await connection.request('tools/call', { name: 'a', arguments: {} }, signal)).toEqual({ content: [] });
    await expect.poll(() => received.filter(({ asked }) => asked.method === undefined).length).toBe(2);
    expect(received.map(({ asked }) => asked)).toEqual(
      expect.arrayContaining([
        { jsonrpc: '2.0', id: 77, result: {} },
        { jsonrpc: '2.0', id: 'r', error: { code: -32601, message: 'Method not found' } },
      ]),
    );
    await connection.close();
  });

  it('refuses a request with its own words', async () => {
    const { url } = await serving(({ id }, response) =>
      response.writeHead(200, json).end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: 0, message: 'no' } })),
    );
    const connection = await open(url);
    await expect(connection.request('prompts/get', { name: 'x' }, signal)).rejects.toEqual(new ProtocolError(0, 'no'));
    await connection.close();
  });

  it('is told that nobody waits any more', async () => {
    const { url, received } = await serving((_asked, response) => void response.writeHead(200, events).write(': \n\n'));
    const connection = await open(url);
    const abort = new AbortController();
    const answer = connection.request('tools/call', { name: 'slow' }, abort.signal);
    await expect.poll(() => received.length).toBe(3);
    abort.abort(new Error('enough'));
    await expect(answer).rejects.toThrow('enough');
    await expect
      .poll(() => received.map(({ asked }) => asked).at(-1))
      .toMatchObject({ method: 'notifications/cancelled', params: { requestId: 1 } });
    await connection.close();
  });

  it('is not lost where it ends its answers because the session ends', async () => {
    let waiting: ServerResponse | null = null;
    const { url, received } = await serving(
      (_asked, response) => {
        waiting = response;
        response.writeHead(200, events).write(': \n\n');
      },
      async () => {
        const closing = new Promise((resolve) => waiting?.once('close', resolve));
        waiting?.end();
        await closing;
      },
    );
    const connection = await open(url);
    const answer = connection.request('tools/call', { name: 'slow' }, signal);
    const refused = expect(answer).rejects.toThrow('Connection closed');
    await expect.poll(() => received.length).toBe(3);
    await connection.close();
    await refused;
  });

  it.each<[string, (response: ServerResponse) => void, RegExp]>([
    ['without a result', (response) => void response.writeHead(200, events).end(), /ended its answer without a result/],
    ['by half a message', (response) => void response.writeHead(200, json).end('{"jsonrpc'), /broke off its answer/],
    ['by a page', (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('x'), /is not MCP/],
    ['with a status', (response) => void response.writeHead(404).end('no session'), /HTTP status 404: no session/],
    ['by closing', (response) => void response.socket?.destroy(), /does not answer/],
  ])('is lost where it ends %s', async (_how, end, message) => {
    const { url } = await serving((_asked, response) => end(response));
    const connection = await open(url);
    const failure = await connection.request('tools/list', {}, signal).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(EnvironmentError);
    expect((failure as Error).message).toMatch(message);
    await connection.close();
  });

  it.each<[number, object, string, RegExp]>([
    [401, {}, 'who are you', /HTTP status 401: who are you\nCheck the "headers"/],
    [307, { location: 'http://other.example/' }, '', /redirects to http:\/\/other\.example\/\. Write that address/],
    [500, {}, '', /HTTP status 500$/],
  ])('that answers with %d is no server to begin with', async (status, headers, body, message) => {
    await expect(open(await refusing(status, headers, body))).rejects.toMatchObject({
      code: 'start_failed',
      message: expect.stringMatching(message),
    });
  });

  it('that is not there is not reached', async () => {
    await expect(open('http://127.0.0.1:1/mcp')).rejects.toMatchObject({ code: 'environment_unreached' });
  });

  it('that answers with something else than MCP is none', async () => {
    const url = await refusing(200, json, '{"jsonrpc": "2.0", "id": 0, "result": {}}');
    await expect(open(url)).rejects.toMatchObject({ message: expect.stringMatching(/another form than MCP/) });
  });
});
