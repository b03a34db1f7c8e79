import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Lease } from '../../src/placement/placement.ts';
import type { Task } from '../../src/tasks/task.ts';
import { task } from '../system/server/harness.ts';
import { builtImage, place } from './harness.ts';

beforeAll(builtImage);

/** A site of this machine, on its loopback alone; its port. */
async function site(answer: RequestListener): Promise<number> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** A port that nobody listens on. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function titled(title: string): RequestListener {
  return (_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<title>${title}</title>`);
  };
}

const startingAt = (start_url: string, more: Partial<Task> = {}): Task =>
  task('', { initial_state: { start_url }, ...more });

async function reset({ server, files }: Lease, of: Task) {
  const { session } = await server.request('session.open', {});
  const start = await server.request('session.reset', { session, task: of, files, seed: 0 });
  return { session, start };
}

test.each(['localhost', '127.0.0.1', '[::1]'])(
  'A site on this machine opens in a container at http://%s',
  async (host) => {
    const of = startingAt(`http://${host}:${await site(titled('Shop'))}/`);

    const { start } = await reset(await place().open(of), of);

    expect(start.info.title).toBe('Shop');
  },
);

test('Two containers reach the same site at the same address at once', async () => {
  const of = startingAt(`http://localhost:${await site(titled('Shop'))}/`);
  const { open } = place();

  const titles = await Promise.all([1, 2].map(async () => (await reset(await open(of), of)).start.info.title));

  expect(titles).toEqual(['Shop', 'Shop']);
});

test('The end of a run ends what its container reads of the site', async () => {
  const [asked, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const port = await site((request, response) => {
    request.socket.on('close', () => ended.resolve());
    response.writeHead(200, { 'content-type': 'text/html' });
    // Goes on for ever.
    response.write('<title>Shop</title>');
    asked.resolve();
  });
  const of = startingAt(`http://localhost:${port}/`);
  const lease = await place().open(of);
  const waiting = reset(lease, of).catch(() => {});
  await asked.promise;

  await lease.release();

  await Promise.all([ended.promise, waiting]);
});

test('Without a network the error says so, and what to do', async () => {
  const of = startingAt(`http://localhost:${await site(titled('Shop'))}/`, {
    metadata: { docker: { network: 'none' } },
  });

  await expect(reset(await place().open(of), of)).rejects.toThrow(/no network \(`network: none`\).*--placement local/);
});

test('Where nothing listens the error says so, and what to do', async () => {
  const of = startingAt(`http://localhost:${await freePort()}/`);

  await expect(reset(await place().open(of), of)).rejects.toThrow(
    /nothing listens on localhost:\d+\).*--placement local/,
  );
});

test('A port that the task does not name stays shut, and the error says why', async () => {
  const port = await site(titled('Secret'));
  const of = task('<p>Hello</p>');
  const lease = await place().open(of);
  const { session } = await reset(lease, of);

  const actions = [`goto('http://localhost:${port}/')`];
  const { error, info } = await lease.server.request('session.step', { session, actions });

  expect(error?.message).toContain(`that the task names, and ${port} is not one of them`);
  expect(info.title).not.toBe('Secret');
});
