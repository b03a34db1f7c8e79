import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fetchPicture } from '../../../../../src/formats/runs/fetch-picture.ts';

const PNG = Buffer.from('iVBORw0KGgo=', 'base64');

let server: Server;
let base = '';
const headers: Record<string, unknown>[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    headers.push(request.headers);
    if (request.url === '/picture') response.end(PNG);
    else if (request.url === '/page') response.end('<p>no picture</p>');
    else if (request.url === '/huge') {
      response.write(PNG);
      for (let megabytes = 0; megabytes < 21; megabytes += 1) response.write(Buffer.alloc(1_000_000));
      response.end();
    } else response.writeHead(404).end(PNG);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

it('fetches a picture without identifying the client', async () => {
  const picture = await fetchPicture(`${base}/picture`);
  expect(picture?.type).toBe('png');
  expect(Buffer.from(picture?.data ?? [])).toEqual(PNG);
  expect(headers.at(-1)).not.toHaveProperty('cookie');
});

it.each(['/page', '/gone', '/huge'])('returns nothing without a usable picture: %s', async (path) => {
  expect(await fetchPicture(base + path)).toBeNull();
});

it('returns nothing if the server does not answer', async () => {
  expect(await fetchPicture('http://127.0.0.1:1/picture')).toBeNull();
});
