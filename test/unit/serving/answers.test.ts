import { once } from 'node:events';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { listen } from '../../../src/serving/http/main.ts';
import { ServedError, type ServedResult, type ServedSession } from '../../../src/serving/served-environment.ts';

const AGENT_TOKEN = 'agent';

/** Serves an environment whose sessions do the same. */
async function serveSession(session: Partial<ServedSession>) {
  const result: ServedResult = { observation: [Buffer.from('{}')], metadata: {}, reward: null, done: false };
  const open = (): ServedSession => ({
    reset: async () => result,
    step: async () => result,
    act: async () => undefined,
    state: () => ({}),
    observe: () => null,
    tools: () => [],
    close: async () => undefined,
    ...session,
  });
  const environment = {
    ...{ name: 'task_env', description: '', version: '1', schemas: { action: {}, observation: {}, state: {} } },
    ...{ splits: async () => [], tasks: async () => [], open },
  };
  const options = { host: '127.0.0.1', port: 0, token: null, agentToken: AGENT_TOKEN, maxSessions: 4, idleMs: 60_000 };
  return await listen(environment, { ...options, log: () => undefined });
}

it('A client that does not read its answers gets no further ones made', async () => {
  const screenshot = [Buffer.from(`"${'x'.repeat(8_000_000)}"`)];
  let steps = 0;
  const step = async (): Promise<ServedResult> => {
    steps += 1;
    return { observation: screenshot, metadata: {}, reward: null, done: false };
  };
  const server = await serveSession({ step });
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/ws`);
  await once(socket, 'open');
  socket.pause();
  const messages = 40;
  for (let sent = 0; sent < messages; sent++) {
    socket.send(JSON.stringify({ type: 'step', data: { action_str: 'noop()' } }));
  }
  await expect.poll(() => steps).toBeGreaterThan(0);
  // As many turns of the server as the other answers would take.
  for (let turn = 0; turn < messages; turn++) await fetch(`http://127.0.0.1:${server.port}/health`);
  expect(steps).toBeLessThan(10);

  // They come once it reads again.
  let answers = 0;
  socket.on('message', () => {
    answers += 1;
  });
  socket.resume();
  await expect.poll(() => answers, { timeout: 20_000 }).toBe(messages);
  socket.terminate();
  await server.close();
});

it('An unknown task has one message over HTTP, WebSockets, and MCP, which needs a token', async () => {
  const message = 'There is no task “bb”. Did you mean “b”?';
  const server = await serveSession({ reset: () => Promise.reject(new ServedError('unknown_task', message)) });
  const address = `127.0.0.1:${server.port}`;
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${AGENT_TOKEN}` };
    const response = await fetch(`http://${address}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return [response.status, await response.json()];
  };
  const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  expect((await fetch(`http://${address}/mcp`, { method: 'POST', body: list })).status).toBe(401);
  expect((await fetch(`http://${address}/mcp`, { method: 'POST', body: '{}' })).status).toBe(200);
  expect(await post('/reset', { task: 'bb' })).toEqual([404, { detail: message }]);
  const params = { name: 'act', arguments: { action_str: 'noop()' } };
  expect(await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params })).toEqual([
    200,
    expect.objectContaining({ error: expect.objectContaining({ message }) }),
  ]);
  const socket = new WebSocket(`ws://${address}/ws`);
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'reset', data: { task: 'bb' } }));
  const [answer] = await once(socket, 'message');
  expect(JSON.parse(String(answer))).toMatchObject({ type: 'error', data: { message } });
  socket.terminate();
  await server.close();
});
