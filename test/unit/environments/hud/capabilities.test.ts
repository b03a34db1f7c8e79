import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Json } from '../../../../src/base/json.ts';
import { openPages } from '../../../../src/environments/hud/browser.ts';
import * as capabilities from '../../../../src/environments/hud/capabilities.ts';
import { capabilitiesIn } from '../../../../src/environments/hud/capability.ts';
import { openStream, Tunnel } from '../../../../src/environments/hud/tunnel.ts';
import { task } from '../../runs/tasks.ts';

vi.mock('../../../../src/environments/hud/browser.ts', { spy: true });

const openCapabilities = (address: string, bindings: Json) =>
  capabilities.openCapabilities(address, capabilitiesIn(bindings), task({}), () => {});

const TOOLS = { name: 'tools', protocol: 'mcp/2025-11-25', url: 'http://127.0.0.1:9/mcp', params: {} };

const LISTED: Json = { result: { tools: [{ name: 'add', inputSchema: { type: 'object' } }] } };

/**
 * The address of a HUD environment with one MCP server, which has the tool `add` unless it answers otherwise, or a browser
 * with the same name.
 * @param onUnanswered nothing is answered that is about tools or pages, and this is called instead
 */
async function serveTools(
  requests: IncomingMessage[] = [],
  answer: Json = LISTED,
  onUnanswered?: () => void,
): Promise<string> {
  const http = createServer((request: IncomingMessage, response: ServerResponse) => {
    requests.push(request);
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      const { id, method } = (body === '' ? {} : JSON.parse(body)) as { id?: number; method?: string };
      const result = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 's', version: '1' } };
      if (onUnanswered && (method === 'tools/list' || request.url?.startsWith('/json'))) return onUnanswered();
      const given = method === 'initialize' ? { result } : answer;
      response.setHeader('content-type', 'application/json').setHeader('mcp-session-id', 's1');
      return void response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(given as object) }));
    });
  });
  onTestFinished(() => void http.close());
  const hud = createTcpServer((socket) => {
    socket.once('data', (data) => {
      const { method, params } = JSON.parse(data.toString()) as { method: string; params: { capability: string } };
      if (method === 'tunnel.open' && params.capability.startsWith('tools')) {
        socket.write('{"jsonrpc":"2.0","id":1,"result":{"capability":"tools"}}\n');
        http.emit('connection', socket);
      } else socket.end('{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"unknown capability"}}\n');
    });
  });
  onTestFinished(() => void hud.close());
  await new Promise<void>((resolve) => hud.listen(0, '127.0.0.1', resolve));
  return `tcp://127.0.0.1:${(hud.address() as AddressInfo).port}`;
}

it('offers the tools of an MCP server, with its token, and names what agents cannot use', async () => {
  const requests: IncomingMessage[] = [];
  const address = await serveTools(requests);
  const bindings: Json = [
    { ...TOOLS, params: { auth_token: 'secret' } },
    { name: 'arm', protocol: 'openpi/0', url: 'ws://127.0.0.1:9091', params: {} },
    { ...TOOLS, name: 'old', params: { transport: 'sse' } },
    { name: 'files', protocol: 'filetracking/1', url: 'http://127.0.0.1:9', params: {} },
  ];
  const open = await openCapabilities(address, bindings);
  expect(open.tools.map(({ name }) => name)).toEqual(['add']);
  expect(open.unusedWarning).toBe(
    'Agents cannot use what the environment also offers: “arm” (openpi/0), “old” (mcp/2025-11-25).',
  );
  expect(requests[0]?.headers.authorization).toBe('Bearer secret');
  expect(requests[0]?.url).toBe('/mcp');
  await open.close();
});

it('shows the browser of an environment that has a desktop, too, and says so', async () => {
  const surface = { broken: new Promise(() => {}), close: async () => {} };
  vi.mocked(openPages).mockResolvedValueOnce(surface as never);
  const desktop = { name: 'screen', protocol: 'rfb/3.8', url: '127.0.0.1:9', params: {} };
  const browser = { name: 'browser', protocol: 'cdp/1.3', url: 'ws://127.0.0.1:9', params: {} };
  const open = await openCapabilities('tcp://127.0.0.1:9', [desktop, browser, { ...browser, name: 'second' }]);
  expect(open.surface).toBe(surface);
  expect(openPages).toHaveBeenCalledExactlyOnceWith('tcp://127.0.0.1:9', browser, expect.anything(), expect.anything());
  expect(open.unusedWarning).toBe(
    'Agents cannot use what the environment also offers: “screen” (rfb/3.8), “second” (cdp/1.3).',
  );
  await open.close();
});

it('tools of several servers have the names of their servers first', async () => {
  const address = await serveTools();
  const open = await openCapabilities(address, [TOOLS, { ...TOOLS, name: 'tools2' }]);
  expect(open.tools.map(({ name }) => name)).toEqual(['tools_add', 'tools2_add']);
  expect(open.unusedWarning).toBeNull();
  await open.close();
});

it('fails with the reason of the environment if a capability cannot be reached', async () => {
  const address = await serveTools();
  await expect(openCapabilities(address, [{ ...TOOLS, name: 'gone' }])).rejects.toMatchObject({
    code: 'start_failed',
    message: expect.stringContaining('The tools “gone” of the HUD environment'),
  });
});

it.each([
  ['gone', 'cannot be reached: unknown capability'],
  // It answers everything as an MCP server.
  ['tools', 'cannot be reached: it is no browser with DevTools'],
])('fails with the reason if a browser cannot be reached', async (name, message) => {
  const browser = { name, protocol: 'cdp/1.3', url: 'ws://127.0.0.1:9222', params: {} };
  await expect(openCapabilities(await serveTools(), [browser])).rejects.toMatchObject({
    code: 'start_failed',
    message: expect.stringContaining(`The browser “${name}” of the HUD environment`),
  });
  await expect(openCapabilities(await serveTools(), [browser])).rejects.toThrow(message);
});

it('a stream keeps what arrives with the answer that opens it', async () => {
  const hud = createTcpServer((socket) => {
    socket.once('data', () => socket.write('{"jsonrpc":"2.0","id":1,"result":{}}\nRFB 003.008\n'));
  });
  onTestFinished(() => void hud.close());
  await new Promise<void>((resolve) => hud.listen(0, '127.0.0.1', resolve));
  const address = `tcp://127.0.0.1:${(hud.address() as AddressInfo).port}`;
  const stream = await openStream(address, 'screen');
  const arrived = once(stream, 'data');
  stream.resume();
  const [greeting] = await arrived;
  expect(String(greeting)).toBe('RFB 003.008\n');
  stream.destroy();
  const tunnel = new Tunnel(address, 'screen');
  await expect(tunnel.fetch('http://127.0.0.1/')).rejects.toThrow('answers before it is asked');
  tunnel.close();
});

it.each<[string, Json, string]>([
  ['does not list its tools', { error: { code: -32603, message: 'no tools today' } }, 'no tools today'],
  ['lists none', { result: {} }, 'answers “tools/list” in another form than MCP: "tools": Invalid input'],
  ['lists one without a name', { result: { tools: [{ inputSchema: {} }] } }, '"tools.0.name": Invalid input'],
])('fails with the reason of a server that %s, whose session is ended', async (_what, answer, message) => {
  const requests: IncomingMessage[] = [];
  const address = await serveTools(requests, answer);
  const opening = openCapabilities(address, [TOOLS]);
  await expect(opening).rejects.toThrow(message);
  await expect(opening).rejects.toMatchObject({
    code: 'start_failed',
    message: expect.stringContaining(' cannot be reached: '),
  });
  expect(requests.at(-1)?.method).toBe('DELETE');
});

it('a tunnel tells why it was refused, and leads nowhere after it was closed', async () => {
  const address = await serveTools();
  const url = 'http://127.0.0.1:9/mcp';
  const gone = new Tunnel(address, 'gone');
  await expect(gone.fetch(url)).rejects.toThrow('unknown capability');
  expect(gone.refusal).toBe('unknown capability');
  const tunnel = new Tunnel(address, 'tools');
  expect((await tunnel.fetch(url, { method: 'POST', body: '{"id": 1, "method": "tools/list"}' })).status).toBe(200);
  tunnel.close();
  await expect(tunnel.fetch(url)).rejects.toThrow('was closed');
});

it('a tunnel fails when an answer is broken off', async () => {
  const http = createServer((_request, response) => {
    response.write('half');
    setImmediate(() => response.destroy());
  });
  const hud = createTcpServer((socket) => {
    socket.once('data', () => {
      socket.write('{"jsonrpc":"2.0","id":1,"result":{}}\n');
      http.emit('connection', socket);
    });
  });
  onTestFinished(() => void hud.close());
  await new Promise<void>((resolve) => hud.listen(0, '127.0.0.1', resolve));
  const tunnel = new Tunnel(`tcp://127.0.0.1:${(hud.address() as AddressInfo).port}`, 'tools');
  const response = await tunnel.fetch('http://127.0.0.1:9/');
  await expect(response.text()).rejects.toThrow();
  tunnel.close();
});

it.each<[string, Json, number, string]>([
  ['an MCP server', TOOLS, 60, 'it did not list its tools within 60 s'],
  [
    'a browser',
    { name: 'tools', protocol: 'cdp/1.3', url: 'ws://127.0.0.1:9222', params: {} },
    30,
    'it did not answer /json/version within 30 s',
  ],
])('says how long it has waited for %s', async (_what, capability, seconds, message) => {
  const late = new AbortController();
  const limit = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(late.signal);
  const address = await serveTools([], LISTED, () => late.abort(new DOMException('raw text', 'TimeoutError')));
  await expect(openCapabilities(address, [capability])).rejects.toMatchObject({
    code: 'start_failed',
    message: expect.stringMatching(new RegExp(`cannot be reached: ${message}$`)),
  });
  expect(limit).toHaveBeenCalledWith(seconds * 1000);
});
