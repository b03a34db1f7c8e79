import { expect, it } from 'vitest';
import { Live } from '../../../src/environments/browser/live/live-view.ts';
import type { Tab } from '../../../src/environments/browser/pages/tab.ts';

/** A tab whose browser refuses a connection for the live picture. */
function refusing(closed: boolean): Tab {
  const page = {
    isClosed: () => closed,
    url: () => 'http://task.localhost/shop.html',
    context: () => ({ newCDPSession: () => Promise.reject(new Error('Session refused')) }),
  };
  return { page } as unknown as Tab;
}

it('reports why an open tab has no live view, and still follows the next tab', async () => {
  const problems: string[] = [];
  const live = new Live(
    () => undefined,
    (problem) => problems.push(problem),
  );
  await live.follow(refusing(false));
  await live.follow(refusing(false));
  const sentence = 'No live view of http://task.localhost/shop.html is available: Session refused';
  expect(problems).toEqual([sentence, sentence]);
});

it('ignores a tab that has closed', async () => {
  const problems: string[] = [];
  const live = new Live(
    () => undefined,
    (problem) => problems.push(problem),
  );
  await live.follow(refusing(true));
  await live.stop();
  expect(problems).toEqual([]);
});
