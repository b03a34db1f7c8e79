import { describe, expect, it } from 'vitest';
import { isLoopback, refuse } from '../../../src/serving/http/guard.ts';

const status = (headers: Record<string, string>, token: string | null = null, path = '/reset') =>
  refuse(headers, path, { token, agentToken: 'agent' })?.status ?? 200;

describe('A request', () => {
  it.each(['localhost:8000', '127.0.0.1:8000', '[::1]:8000', 'LOCALHOST', '127.0.0.1'])(
    'to %s is answered without a token',
    (host) => {
      expect(status({ host })).toBe(200);
    },
  );

  it.each([
    'evil.example',
    '127.0.0.1.evil.example',
    'localhost.evil.example:8000',
    '192.168.0.7:8000',
    '',
    'a@127.0.0.1',
  ])('to “%s” is refused without a token, since a page can give this machine any name', (host) => {
    expect(status({ host })).toBe(403);
  });

  it('without a host is refused', () => {
    expect(status({})).toBe(403);
  });

  it.each(['http://evil.example', 'http://localhost:3000', 'null', 'http://127.0.0.1:80000', 'file://'])(
    'of a page at %s is refused, with a token too',
    (origin) => {
      expect(status({ host: 'localhost:8000', origin })).toBe(403);
      expect(status({ host: 'localhost:8000', origin, authorization: 'Bearer t' }, 't')).toBe(403);
    },
  );

  it('needs the token, if there is one, but for the question whether the server is healthy', () => {
    const host = 'tasks.example:8000';
    expect(status({ host }, 'secret')).toBe(401);
    expect(status({ host, authorization: 'Bearer wrong' }, 'secret')).toBe(401);
    expect(status({ host, authorization: 'Basic secret' }, 'secret')).toBe(401);
    expect(status({ host, authorization: 'Bearer secret' }, 'secret')).toBe(200);
    expect(status({ host }, 'secret', '/health')).toBe(200);
  });

  it.each([null, 'secret'])(
    'to /mcp needs the token for agents or that of the server (%s), which is no token for agents',
    (token) => {
      const ask = (path: string, authorization?: string) =>
        status({ host: 'localhost:8000', ...(authorization && { authorization }) }, token, path);
      for (const path of ['/mcp', '/mcp/']) {
        expect(ask(path)).toBe(401);
        expect(ask(path, 'Bearer wrong')).toBe(401);
        expect(ask(path, 'Bearer agent')).toBe(200);
        expect(ask(path, 'Bearer secret')).toBe(token === null ? 401 : 200);
      }
      // `environment-routes.ts` refuses it after it is read.
      expect(refuse({ host: 'localhost:8000' }, '/mcp', { token, agentToken: 'agent' }, 'POST')?.status).toBe(
        token === null ? undefined : 401,
      );
      for (const path of ['/reset', '/ws', '/mcp/x', '/taskwright/tasks']) {
        expect(ask(path, 'Bearer agent')).toBe(token === null ? 200 : 401);
      }
    },
  );
});

it.each([
  ['127.0.0.1', true],
  ['127.1.2.3', true],
  ['::1', true],
  ['localhost', true],
  ['0.0.0.0', false],
  ['::', false],
  ['example.com', false],
])('%s is an address of this machine alone: %s', (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});
