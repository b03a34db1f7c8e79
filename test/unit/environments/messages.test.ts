import { EventEmitter } from 'node:events';
import type { BrowserContext } from 'playwright-core';
import { expect, it } from 'vitest';
import { Messages } from '../../../src/environments/browser/observing/messages.ts';

const FAILED = 'Failed to load resource: the server responded with a status of 404 (Not Found)';

/** What is recorded of one message of the console. */
function recordedOf(text: string, url: string): unknown {
  const context = new EventEmitter();
  const messages = new Messages();
  messages.listen(context as unknown as BrowserContext);
  context.emit('console', { text: () => text, type: () => 'error', location: () => ({ url, lineNumber: 0 }) });
  return messages.take();
}

it.each([
  'http://miniwob.localhost/favicon.ico',
  'http://127.0.0.1:8000/favicon.ico',
  'https://shop.example/favicon.ico?v=2',
])('does not report %s, which full Chromium asks every site for', (url) => {
  expect(recordedOf(FAILED, url)).toEqual([]);
});

it.each(['http://127.0.0.1:8000/logo.png', 'https://shop.example/pages/favicon.ico'])(
  'reports %s, which a page asked for',
  (url) => {
    expect(recordedOf(FAILED, url)).toEqual([{ kind: 'request', text: FAILED, location: url }]);
  },
);

it('stops reading a noisy console until the next observation', () => {
  const context = new EventEmitter();
  const messages = new Messages();
  messages.listen(context as unknown as BrowserContext);
  const say = (times: number) => {
    for (let time = 0; time < times; time += 1)
      context.emit('console', { text: () => 'x', type: () => 'log', location: () => ({ url: '', lineNumber: 0 }) });
  };
  say(5000);
  expect(context.listenerCount('console')).toBe(0);
  const flood = messages.take();
  expect(flood.length).toBe(201);
  expect(flood.at(-1)).toEqual({ kind: 'warning', text: 'at least 1801 more messages were left out' });

  expect(context.listenerCount('console')).toBe(1);
  say(201);
  expect(messages.take().at(-1)).toEqual({ kind: 'warning', text: '1 more messages were left out' });
});
