import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import type { BrowserContext } from 'playwright-core';
import { expect, it, vi } from 'vitest';
import { Messages } from '../../../src/environments/browser/observing/messages.ts';
import { Downloads } from '../../../src/environments/browser/pages/downloads.ts';
import { PageFiles } from '../../../src/environments/browser/pages/page-files.ts';

const MIB = 1024 * 1024;

function contextWithDownloads() {
  const context = new EventEmitter();
  const messages = new Messages();
  const downloads = new Downloads(messages, new PageFiles({ contents: { 'own.csv': Buffer.from('own') } }));
  downloads.listen(context as unknown as BrowserContext);
  const start = (name: string, of: { url?: string; content?: Buffer; failure?: Promise<string | null> } = {}) => {
    const cancel = vi.fn(async () => {});
    context.emit('download', {
      suggestedFilename: () => name,
      url: () => of.url ?? 'http://shop/x',
      page: () => ({ url: () => 'http://shop/' }),
      failure: async () => (await of.failure) ?? null,
      createReadStream: async () => Readable.from([of.content ?? Buffer.from('abc')]),
      cancel,
    });
    return cancel;
  };
  const take = async () => {
    await downloads.settle();
    const result = downloads.take();
    return { ...result, texts: messages.take().map(({ text }) => text) };
  };
  return { downloads, start, take };
}

it('reports each download once, with its content', async () => {
  const { start, take } = contextWithDownloads();
  start('a.txt');
  start('own.csv', { url: 'http://task.localhost/own.csv', failure: Promise.resolve('canceled') });
  start('b.txt', { failure: Promise.resolve('canceled') });
  const { downloads, contents, texts } = await take();
  expect(downloads).toMatchObject([
    { id: 0, name: 'a.txt', state: 'completed', size: 3 },
    { id: 1, name: 'own.csv', state: 'completed', size: 3 },
    { id: 2, name: 'b.txt', state: 'failed', size: null, reason: 'canceled' },
  ]);
  expect(Object.values(contents).map(String).toSorted()).toEqual(['abc', 'own']);
  expect(texts).toEqual([
    '“a.txt” was downloaded (3 bytes)',
    '“own.csv” was downloaded (3 bytes)',
    'the download of “b.txt” failed: canceled',
  ]);
  expect(await take()).toEqual({ downloads: [], contents: {}, texts: [] });
});

it('reports one that goes on with each step, and its end', async () => {
  vi.useFakeTimers();
  const { downloads, start, take } = contextWithDownloads();
  const end = Promise.withResolvers<string | null>();
  start('slow.txt', { failure: end.promise });
  const first = take();
  await vi.advanceTimersByTimeAsync(1000);
  const record = { id: 0, name: 'slow.txt', state: 'started', size: null };
  expect(await first).toEqual({ downloads: [record], contents: {}, texts: ['the download of “slow.txt” started'] });
  // No other step waits for it.
  expect(await take()).toEqual({ downloads: [record], contents: {}, texts: [] });
  end.resolve(null);
  await downloads.finish();
  expect((await take()).texts).toEqual(['“slow.txt” was downloaded (3 bytes)']);
  vi.useRealTimers();
});

it('records contents of up to 16 MiB each, and of 64 MiB together', async () => {
  const { downloads, start, take } = contextWithDownloads();
  start('fits', { content: Buffer.alloc(16 * MIB) });
  start('too large', { content: Buffer.alloc(16 * MIB + 1) });
  for (const name of ['b', 'c', 'd', 'e']) start(name, { content: Buffer.alloc(16 * MIB, name) });
  await downloads.finish();
  const { downloads: list, contents } = await take();
  expect(list.map(({ name, size, content }) => [name, size, content !== undefined])).toEqual([
    ['fits', 16 * MIB, true],
    ['too large', 16 * MIB + 1, false],
    ...['b', 'c', 'd'].map((name) => [name, 16 * MIB, true]),
    ['e', 16 * MIB, false],
  ]);
  expect(Object.keys(contents)).toHaveLength(4);
});

it('cancels those beyond the 100th', async () => {
  const { start, take } = contextWithDownloads();
  for (let index = 0; index < 100; index += 1) expect(start(`${index}`)).not.toHaveBeenCalled();
  expect(start('x'.repeat(1000))).toHaveBeenCalled();
  const { downloads, texts } = await take();
  expect(downloads).toHaveLength(100);
  expect(texts[0]).toBe(`“${'x'.repeat(255)}” was not downloaded: a task has at most 100 downloads`);
});
