import { once } from 'node:events';
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { fileIn, temporaryFolder } from '../../unit/runs/tasks.ts';
import { start } from '../cli/program.ts';
import { type Served, serve } from './serving.ts';

const CAPITAL = { id: 'capital', prompt: 'Capital of France?', gym: 'qa', evaluate: ['response_includes', 'Paris'] };

async function serveCapital(...args: readonly string[]): Promise<Served> {
  const folder = await temporaryFolder();
  await fileIn(folder, 'some.tasks.json', JSON.stringify([CAPITAL]));
  return await serve(folder, ...args);
}

async function ask({ url }: Served, path: string, headers: Record<string, string>, body?: string): Promise<number> {
  const asked = request(new URL(path, url), { method: body === undefined ? 'GET' : 'POST', headers });
  asked.on('error', () => undefined);
  asked.end(body);
  const [response] = await once(asked, 'response');
  asked.destroy();
  return response.statusCode;
}

/** The status of a refused WebSocket, or 101. */
function connect({ url }: Served, headers: Record<string, string>): Promise<number> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, { headers });
  return new Promise((resolve, reject) => {
    socket.on('open', () => {
      socket.close();
      resolve(101);
    });
    socket.on('unexpected-response', (_request, { statusCode }) => {
      socket.terminate();
      resolve(statusCode ?? 0);
    });
    socket.on('error', reject);
  });
}

/** A connection, and the messages that it gets. */
async function talk({ url }: Served) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`);
  const got: string[] = [];
  socket.on('message', (data) => got.push(String(data)));
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  await once(socket, 'open');
  return { socket, got, closed };
}

describe('A server of tasks', () => {
  it('refuses web pages and names that are not of this machine, on every route', async () => {
    const served = await serveCapital();
    const host = new URL(served.url).host;
    for (const headers of [
      { host: 'evil.example' },
      { host, origin: 'http://evil.example' },
      { host, origin: 'null' },
    ]) {
      expect(await ask(served, '/state', headers)).toBe(403);
      expect(await ask(served, '/reset', headers, '{}')).toBe(403);
      expect(await ask(served, '/mcp', headers, '{}')).toBe(403);
      expect(await ask(served, '/nowhere', headers)).toBe(403);
      expect(await connect(served, headers)).toBe(403);
    }
    expect(await ask(served, '/state', { host })).toBe(200);
    expect(await connect(served, { host })).toBe(101);
  });

  it('is not reached by the pages of its sessions', async () => {
    const folder = await temporaryFolder();
    const page = { id: 'page', prompt: 'p', gym: 'hud-browser', evaluate: ['page_contains', 'nothing'] };
    await fileIn(folder, 'page.tasks.json', JSON.stringify([page]));
    const served = await serve(folder);
    const { port } = new URL(served.url);
    const { socket, got } = await talk(served);
    socket.send('{"type": "reset"}');
    const names = ['127.0.0.1', 'localhost', 'a.localhost', '[::1]', '0x7f.1', '[::ffff:127.0.0.1]'];
    for (const name of names) {
      const data = { action_str: `goto('http://${name}:${port}/health')` };
      socket.send(JSON.stringify({ type: 'step', data }));
    }
    await expect.poll(() => got, { timeout: 120_000 }).toHaveLength(names.length + 1);
    const seen = got.slice(1).map((text) => JSON.parse(text).data.observation as Record<string, unknown>);
    // The last name leads to the server, which does not know it.
    expect(seen.map((observation) => observation['last_action_error'])).toEqual([true, true, true, true, true, false]);
    for (const observation of seen) expect(observation['text']).not.toContain('healthy');
    expect(await ask(served, '/health', {})).toBe(200);
  });

  it('requires its token, and on another address than loopback there must be one', async () => {
    const served = await serveCapital('--token', 'secret');
    expect(served.token).toBe('secret');
    expect(await ask(served, '/health', {})).toBe(200);
    expect(await ask(served, '/state', {})).toBe(401);
    expect(await connect(served, { authorization: 'Bearer wrong' })).toBe(401);
    expect(await connect(served, { authorization: 'Bearer secret' })).toBe(101);
    const folder = await temporaryFolder();
    await fileIn(folder, 'some.tasks.json', JSON.stringify([CAPITAL]));
    const { code, out } = await start(['serve', '.', '--host', '0.0.0.0', '--json'], folder).ended;
    expect(code).toBe(2);
    expect(JSON.parse(out)).toMatchObject({ error: { code: 'token_needed' } });
  });

  it('limits bodies, messages, and sessions', async () => {
    const served = await serveCapital('--concurrency', '1');
    const large = 'x'.repeat(17 * 1024 * 1024);
    // Sends the beginning only, because the connection can break while the rest is being sent.
    const announced = { 'content-type': 'application/json', 'content-length': String(large.length) };
    expect(await ask(served, '/reset', announced, '{')).toBe(413);
    const first = await talk(served);
    const second = await talk(served);
    expect(await second.closed).toBe(1000);
    expect(JSON.parse(second.got[0] ?? '')).toMatchObject({
      data: { code: 'CAPACITY_REACHED', active_sessions: 1, max_sessions: 1 },
    });
    first.socket.send(large);
    // The code is lost if the connection is reset while the message is still being sent.
    expect([1009, 1006]).toContain(await first.closed);
    await expect.poll(async () => (await talk(served)).got, { timeout: 60_000 }).toEqual([]);
  });

  it('ends idle sessions, and itself with everything when its standard input closes', async () => {
    const served = await serveCapital('--idle-timeout', '1');
    const { got, closed, socket } = await talk(served);
    socket.send('{"type": "reset"}');
    expect(await closed).toBe(1000);
    expect(got).toHaveLength(2);
    expect(got[1]).toContain('idle for too long');
    served.child.stdin.end();
    expect(await served.ended).toMatchObject({ code: 0, signal: null });
  });

  it('ends with everything when it is interrupted', async () => {
    const served = await serveCapital();
    const { socket, closed, got } = await talk(served);
    socket.send('{"type": "reset"}');
    await expect.poll(() => got, { timeout: 60_000 }).toHaveLength(1);
    served.child.kill('SIGINT');
    expect(await served.ended).toMatchObject({ code: 130, signal: null });
    await closed;
  });
});
