import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';
import { readSplits } from '../../../src/environments/openenv/task-api.ts';
import { begin, failureOf } from './openenv-episode.ts';

/** The address of a server for the time of a test. */
async function served(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server whose sessions answer as told: faults that a real one does not have. */
async function fake(version: string, answer: (text: string) => string | null): Promise<string> {
  const schemas = { action: {}, observation: {}, state: {} };
  const server = createServer((request, response) => {
    response.end(JSON.stringify(request.url === '/schema' ? schemas : { info: { version } }));
  });
  new WebSocketServer({ server, path: '/ws' }).on('connection', (socket) => {
    socket.on('message', (data) => {
      const text = answer(String(data));
      if (text !== null) socket.send(text);
    });
  });
  return served(server);
}

describe('a server that is not an OpenEnv server', () => {
  it('cannot be reached if none listens', async () => {
    const failure = await failureOf(begin('http://127.0.0.1:9'));

    expect(failure.code).toBe('environment_unreached');
    expect(failure.message).toContain('Check that it is running and that "url" is its address.');
  });

  it.each([
    ['redirects', 302, 'redirects to https://elsewhere.example/. Taskwright does not follow it'],
    ['has no such page', 404, 'answers with HTTP status 404, as no OpenEnv server does'],
  ])('is recognized if it %s', async (_what, status, words) => {
    const server = createServer((_request, response) => {
      response.writeHead(status, { location: 'https://elsewhere.example/' }).end();
    });
    const failure = await failureOf(begin(await served(server)));

    expect(failure.code).toBe('start_failed');
    expect(failure.message).toContain(words);
  });
});

describe('a server that closes a connection after an answer', () => {
  it('is asked again through another connection', async () => {
    const answers: Readonly<Record<string, unknown>> = {
      '/list_environments': ['lab'],
      '/lab/splits': [{ name: 'train' }],
      '/lab/num_tasks': { num_tasks: 3 },
    };
    const answered = new WeakSet<Socket>();
    const server = createServer(({ socket, url = '' }, response) => {
      if (answered.has(socket)) socket.destroy();
      answered.add(socket);
      response.end(JSON.stringify(answers[url]));
    });

    expect(await readSplits(await served(server))).toEqual([{ name: 'train', count: 3 }]);
  });
});

describe('an address with a user name and a password', () => {
  it('is asked with them, and no message shows them', async () => {
    const headers: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      headers.push(request.headers.authorization);
      response.writeHead(404).end();
    });
    const address = await served(server);
    const failure = await failureOf(begin(address.replace('//', '//ada:pa%ss%40word@')));

    expect(new Set(headers)).toEqual(new Set([`Basic ${btoa('ada:pa%ss@word')}`]));
    expect(failure.message).toContain(`${address}/`);
    const otherFailure = await failureOf(begin('http://ada:pass%40word@127.0.0.1:9'));
    for (const { message } of [failure, otherFailure]) expect(message).not.toMatch(/ada|%40/);
  });
});

describe('a server of another version', () => {
  it('is refused by the version of its API', async () => {
    const failure = await failureOf(begin(await fake('2.1.0', () => null)));

    expect(failure).toMatchObject({ code: 'version_mismatch' });
    expect(failure.message).toContain('serves version 2.1.0 of OpenEnv’s API');
  });

  it('is rejected if it does not know a message', async () => {
    const error = { type: 'error', data: { message: 'Unknown message type: reset', code: 'UNKNOWN_TYPE' } };
    const failure = await failureOf(begin(await fake('1.0.0', () => JSON.stringify(error))));

    expect(failure).toMatchObject({ code: 'version_mismatch' });
  });

  it.each([
    ['no JSON', 'hello', 'sent a message that is not a JSON object'],
    ['an answer to another request', '{"type":"state","data":{}}', 'answered “reset” with a message of type “state”'],
    [
      'an observation that is a list',
      '{"type":"observation","data":{"observation":[]}}',
      'in another form: observation',
    ],
  ])('fails the run with an environment error if it sends %s', async (_what, text, words) => {
    const failure = await failureOf(begin(await fake('1.0.0', () => text)));

    expect(failure.code).toBe('environment_failed');
    expect(failure.message).toContain(words);
  });
});
