import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { EnvironmentServer } from '../../../src/placement/placement.ts';
import { openTunnel } from '../../../src/placement/tunnel.ts';
import { type Marked, placeForAll, task } from '../server/harness.ts';
import { elsewhere } from './other-ports.ts';

let marked: Marked;
let server: EnvironmentServer;
beforeAll(async () => {
  marked = placeForAll();
  server = await marked.placement.server();
});
afterAll(() => marked.placement.dispose());

async function listening(site: Server, host = '127.0.0.1', port = 0): Promise<number> {
  await new Promise<void>((resolve) => site.listen(port, host, resolve));
  onTestFinished(() => {
    site.close();
  });
  return (site.address() as AddressInfo).port;
}

/** A port that nobody listens on. */
async function freePort(): Promise<number> {
  const site = createTcpServer();
  const port = await listening(site);
  await new Promise((resolve) => site.close(resolve));
  return port;
}

/** A site of this machine, and the port that leads to it where the server is. */
async function tunnelTo(here: number, network: 'none' | 'bridge' = 'bridge'): Promise<{ there: number; end(): void }> {
  const there = await freePort();
  const end = await openTunnel(elsewhere(server, { [there]: here }), { network, ports: [here], log: () => {} });
  onTestFinished(end);
  return { there, end };
}

function site(answer: (request: IncomingMessage, response: ServerResponse) => void): Server {
  return createServer(answer);
}

async function start(url: string) {
  const { session } = await server.request('session.open', {});
  return server.request('session.reset', {
    session,
    task: task('', { initial_state: { start_url: url } }),
    files: { folder: '/' },
    seed: 0,
  });
}

function socketTo(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true }, () => resolve(socket));
    socket.once('error', reject);
  });
}

test('A page of a site on the owner’s machine opens at the same address where the environment is', async () => {
  const here = await listening(
    site((request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<title>Shop</title><p>You asked ${request.headers.host} for ${request.url}</p>`);
    }),
  );
  const { there } = await tunnelTo(here);

  const { info, observation } = await start(`http://localhost:${there}/cart?x=1`);

  expect(info.title).toBe('Shop');
  expect(observation.text).toContain(`You asked localhost:${there} for /cart?x=1`);
});

test.each(['127.0.0.1', '::1'])('A site that listens only on %s is reached', async (host) => {
  const here = await listening(
    createTcpServer((socket) => socket.end('hello')),
    host,
  );
  const { there } = await tunnelTo(here);

  expect(await text(await socketTo(there))).toBe('hello');
});

test('Large transfers arrive whole, both ways at once', async () => {
  const sent = randomBytes(24 * 1024 * 1024);
  const hash = (data: Uint8Array) => createHash('sha256').update(data).digest('hex');
  // Says everything back that it hears.
  const here = await listening(createTcpServer({ allowHalfOpen: true }, (socket) => void socket.pipe(socket)));
  const { there } = await tunnelTo(here);

  const socket = await socketTo(there);
  socket.end(sent);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk);

  expect(hash(Buffer.concat(chunks))).toBe(hash(sent));
});

test('A reader that does not read blocks only its own site', async () => {
  /** To each who reads the site, in bytes. */
  const written: number[] = [];
  const here = await listening(
    createTcpServer((socket) => {
      const reader = written.push(0) - 1;
      const chunk = Buffer.alloc(64 * 1024);
      const more = (): void => {
        do written[reader] = (written[reader] ?? 0) + chunk.length;
        while (socket.write(chunk));
      };
      socket.on('drain', more).on('error', () => {});
      more();
    }),
  );
  const { there } = await tunnelTo(here);
  const lazy = await socketTo(there);
  lazy.pause();
  onTestFinished(() => {
    lazy.destroy();
  });
  // In the time in which others are served, the site would write on and on for the one that does not read.
  for (let others = 0; others < 50; others += 1) {
    const other = await socketTo(there);
    expect(await new Promise((resolve) => other.once('data', (data) => resolve(data.length > 0)))).toBe(true);
    other.destroy();
  }
  expect(written).toHaveLength(51);
  expect(written[0]).toBeLessThan(32 * 1024 * 1024);
});

test('A site can continue to respond after the end of the request', async () => {
  const told = Promise.withResolvers<Socket>();
  let visitors = 0;
  const here = await listening(
    createTcpServer({ allowHalfOpen: true }, (socket) => {
      visitors += 1;
      socket.resume();
      if (visitors === 1) socket.on('end', () => told.resolve(socket));
      else socket.end('hello');
    }),
  );
  const { there } = await tunnelTo(here);

  const socket = await socketTo(there);
  socket.end('a question');
  const asked = await told.promise;
  // Meanwhile another is served from beginning to end: the one that waits for its answer is not forgotten.
  expect(await text(await socketTo(there))).toBe('hello');
  asked.end('and this is the answer');

  expect(await text(socket)).toBe('and this is the answer');
});

test('WebSockets and streamed responses work', async () => {
  const words = ['one', 'two', 'three'];
  const all = Promise.withResolvers<void>();
  let stream: ServerResponse | undefined;
  // Each word is written when the page has the one before: were one held back, none would follow.
  const next = (): void => {
    const word = words.shift();
    if (word === undefined) all.resolve();
    else stream?.write(`data: ${word}\n\n`);
  };
  const here = await listening(
    site((request, response) => {
      if (request.url === '/stream') {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        stream = response;
        next();
        return;
      }
      if (request.url === '/heard') {
        response.end();
        next();
        return;
      }
      response.setHeader('content-type', 'text/html');
      response.end(`<p id="socket"></p><p id="stream"></p><script>
        const socket = new WebSocket('ws://' + location.host + '/talk');
        socket.onmessage = ({ data }) => { document.getElementById('socket').textContent = 'heard ' + data; };
        const stream = document.getElementById('stream');
        new EventSource('/stream').onmessage = ({ data }) => {
          stream.textContent += data + ' ';
          fetch('/heard');
        };
      </script>`);
    }).on('upgrade', (request: IncomingMessage, socket: Socket) => {
      const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
      const accept = createHash('sha1').update(key).digest('base64');
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
      );
      // One unmasked text frame.
      socket.write(Buffer.concat([Buffer.from([0x81, 5]), Buffer.from('hello')]));
    }),
  );
  const { there } = await tunnelTo(here);
  const { session } = await server.request('session.open', {});
  const address = `http://localhost:${there}/`;
  await server.request('session.reset', {
    session,
    task: task('', { initial_state: { start_url: address } }),
    files: { folder: '/' },
    seed: 0,
  });

  await all.promise;
  const { observation } = await server.request('session.step', { session, actions: ['noop(600)'] });

  expect(observation.text).toContain('heard hello');
  expect(observation.text).toContain('one two three');
});

test('If nothing listens on the owner’s machine, the error explains it and what to do', async () => {
  const { there } = await tunnelTo(await freePort());

  await expect(start(`http://localhost:${there}/`)).rejects.toThrow(
    /could not be opened: port \d+ of your machine could not be reached from the container \(nothing listens on localhost:\d+\).*--placement local/,
  );
});

test('A port of localhost that the task does not name cannot be reached, and the error explains why', async () => {
  const here = await listening(site((_request, response) => response.end('here')));
  await tunnelTo(here);
  const other = await freePort();

  await expect(start(`http://127.0.0.1:${other}/`)).rejects.toThrow(
    new RegExp(`only reach the local ports that the task names, and ${other} is not one of them`),
  );
});

test('Without a network the error mentions it', async () => {
  const here = await listening(site((_request, response) => response.end('here')));
  const { there } = await tunnelTo(here, 'none');

  await expect(start(`http://localhost:${there}/`)).rejects.toThrow(
    /no network \(`network: none`\).*--placement local/,
  );
});

test('An action that navigates to such a URL gets the same error', async () => {
  const { there } = await tunnelTo(await freePort());
  const { session } = await server.request('session.open', {});
  await server.request('session.reset', { session, task: task('<p>Hi</p>'), files: { folder: '/' }, seed: 0 });

  const { error } = await server.request('session.step', { session, actions: [`goto('http://localhost:${there}/')`] });

  expect(error?.message).toMatch(/nothing listens on localhost:\d+.*--placement local/);
});

test('The ports of a replaced tunnel are closed', async () => {
  const here = await listening(createTcpServer((socket) => socket.end('hello')));
  const { there } = await tunnelTo(here);
  await server.request('tunnel.open', { network: 'none', ports: [] });

  await expect(socketTo(there)).rejects.toThrow('ECONNREFUSED');
});

test('The owner connects only to ports that the task names, whatever the server requests', async () => {
  let asked = 0;
  const here = await listening(createTcpServer(() => void asked++));
  const there = await freePort();
  // A server that claims another port than the one that was connected to.
  const lying = elsewhere(server, { [there]: here });
  const end = await openTunnel(
    { ...lying, request: server.request.bind(server) },
    { network: 'bridge', ports: [there], log: () => {} },
  );
  onTestFinished(end);

  // It may be closed before it is known to be open.
  await new Promise((resolve) => {
    connect({ host: '127.0.0.1', port: there }).once('error', resolve).once('close', resolve);
  });

  expect(asked).toBe(0);
});

test('The end of the tunnel ends its connections', async () => {
  const closed = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const here = await listening(
    createTcpServer((socket) => {
      socket.once('close', () => closed.resolve()).once('data', () => reached.resolve());
    }),
  );
  const { there, end } = await tunnelTo(here);
  const socket = await socketTo(there);
  socket.on('error', () => {});
  socket.write('hello');
  await reached.promise;

  end();

  await closed.promise;
});
