import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StepResult } from '../../../src/environments/environment.ts';
import { runCall } from '../../../src/functions/evaluate.ts';
import { NO_USER_FUNCTIONS } from '../../../src/functions/user/load.ts';
import { live, shareEnvironments, showing } from './stage.ts';

shareEnvironments();

let url: string;
/** Answers that are not complete. */
const open: ServerResponse[] = [];
const server = createServer((request, response) => {
  const attachment = (name: string) => ({
    'content-type': 'text/csv',
    'content-disposition': `attachment; filename="${name}"`,
  });
  if (request.url === '/report') response.writeHead(200, attachment('report.csv')).end('name,price\nLamp,78\n');
  else if (request.url === '/late') {
    setTimeout(() => response.writeHead(200, attachment('late.csv')).end('late'), 500);
  } else if (request.url === '/large')
    response.writeHead(200, attachment('large.bin')).end(Buffer.alloc(17 << 20, 'x'));
  else if (request.url === '/slow') {
    response.writeHead(200, attachment('slow.csv')).write('slow');
    open.push(response);
  } else if (request.url === '/broken') {
    response.writeHead(200, { ...attachment('broken.csv'), 'content-length': '1000' }).write('a');
    setTimeout(() => response.destroy(), 200);
  } else response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Other</title>');
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function link(path: string, attributes = ''): string {
  return `<title>Shop</title><a href="${path.startsWith('/') ? url + path : path}" ${attributes}>get</a>`;
}

const click = "click('a')";

function texts({ info }: StepResult): readonly string[] {
  return (info.messages ?? []).filter(({ kind }) => kind === 'download').map(({ text }) => text);
}

async function judge(...args: readonly (string | object)[]) {
  return runCall(
    { function: 'file_downloaded', args: args as never },
    'evaluate',
    live.functionContext(),
    NO_USER_FUNCTIONS,
  );
}

describe('a download', () => {
  it.each([
    ['a link', ''],
    ['a link to a new window', 'target=_blank'],
    ['a script in a new window', 'onclick="window.open(``).location = this.href; return false"'],
    ['a link with a name for another site', 'download=other.csv'],
  ])('by %s: the step says what came, and the tab stays', async (_, attributes) => {
    await showing(live, link('/report', attributes));
    const startedAt = performance.now();
    const result = await live.step([click]);
    expect(result.error).toBeNull();
    expect(performance.now() - startedAt).toBeLessThan(8000);
    expect(result.info.title).toBe('Shop');
    expect(texts(result)).toEqual(['“report.csv” was downloaded (19 bytes)']);
    const [download] = result.info.downloads ?? [];
    expect(download).toMatchObject({ id: 0, name: 'report.csv', state: 'completed', size: 19 });
    expect(Buffer.from(result.contents?.[download?.content ?? ''] ?? []).toString()).toBe('name,price\nLamp,78\n');
    expect(live.functionContext().page?.context().pages()).toHaveLength(1);
    const next = await live.step(['noop(1)']);
    expect([next.info.downloads, next.contents, next.info.title]).toEqual([undefined, undefined, 'Shop']);
    expect(await judge('report.csv')).toEqual({ value: 1, reason: '“report.csv” (19 bytes) was downloaded' });
    expect(await judge({ pattern: '^rep.*csv$' }, { contains: ['Lamp', 'price'] })).toMatchObject({ value: 1 });
    expect(await judge('report.csv', { contains: 'Chair' })).toEqual({
      value: 0,
      reason: '“Chair” is not in the downloaded “report.csv” (19 bytes)',
    });
  });

  it.each([
    ['data:text/plain,hello', 'download=note.txt', 'note.txt', 5],
    ['data:text/plain,hello', 'download="../../etc/passwd"', '_.._etc_passwd', 5],
    ['#', `download=blob.txt onclick="this.href = window.URL.createObjectURL(new Blob(['abc']))"`, 'blob.txt', 3],
  ])('of %s %s', async (href, attributes, name, size) => {
    await showing(live, link(href, attributes));
    const { info } = await live.step([click]);
    expect(info.downloads).toMatchObject([{ name: expect.stringContaining(name), state: 'completed', size }]);
  });

  it.each([
    ['report.csv', 'completed', 3, undefined],
    ['none.csv', 'failed', null, 'the file none.csv does not exist next to the task'],
    ['shop.task.json', 'failed', null, 'shop.task.json is not served: it is a task file'],
  ])('of %s next to the task', async (name, state, size, reason) => {
    await showing(live, link(name, 'download'), { 'report.csv': 'a,b', 'shop.task.json': '{}' });
    const { info } = await live.step([click]);
    expect(info.downloads).toMatchObject([{ name, state, size, ...(reason && { reason }) }]);
    const { value } = (await judge(name, { contains: 'a,b' })) as { value: number };
    expect(value).toBe(size === null ? 0 : 1);
  });

  it('by the address of a file: the page stays', async () => {
    await showing(live, link('/report'));
    const result = await live.step([`goto('${url}/report')`]);
    expect(result.error).toBeNull();
    expect(result.info.title).toBe('Shop');
    expect(texts(result)).toEqual(['“report.csv” was downloaded (19 bytes)']);
  });

  it('whose server answers late is waited for', async () => {
    await showing(live, link('/late'));
    expect(texts(await live.step([click]))).toEqual(['“late.csv” was downloaded (4 bytes)']);
  });

  it('twice with one name: each counts', async () => {
    await showing(live, link('/report'));
    const { info } = await live.step([click, click]);
    expect(info.downloads?.map(({ id, name }) => [id, name])).toEqual([
      [0, 'report.csv'],
      [1, 'report.csv'],
    ]);
  });

  it('that goes on: the step says so, and the end waits for it', async () => {
    await showing(live, link('/slow', 'target=_blank'));
    const result = await live.step([click]);
    expect(texts(result)).toEqual(['the download of “slow.csv” started']);
    expect(result.info.downloads).toEqual([{ id: 0, name: 'slow.csv', state: 'started', size: null }]);
    expect(await judge('slow.csv')).toEqual({ value: 0, reason: 'the download of “slow.csv” was not complete' });
    expect((await live.step(['noop(1)'])).info.downloads).toHaveLength(1);
    setTimeout(() => {
      for (const response of open.splice(0)) response.end('!');
    }, 300);
    const end = await live.finish();
    expect(texts(end)).toEqual(['“slow.csv” was downloaded (5 bytes)']);
    expect(await judge('slow.csv', { contains: 'slow!' })).toMatchObject({ value: 1 });
  });

  it('that breaks off: the step says so', async () => {
    await showing(live, link('/broken'));
    await live.step([click]);
    await live.finish();
    expect(await judge('broken.csv')).toEqual({ value: 0, reason: 'the download of “broken.csv” failed' });
  });

  it('that is too large to record: it counts, with its text', async () => {
    await showing(live, link('/large'));
    await live.step([click]);
    const { contents } = await live.finish();
    expect(contents).toBeUndefined();
    expect(await judge('large.bin', { contains: 'xxx' })).toMatchObject({ value: 1 });
  });

  it('leaves windows with a page as they are', async () => {
    await showing(live, link('/page', 'target=_blank'));
    const { info } = await live.step([click]);
    expect([info.title, info.downloads]).toEqual(['Other', undefined]);
  });
});
