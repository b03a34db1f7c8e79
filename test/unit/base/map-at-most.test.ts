import { describe, expect, it } from 'vitest';
import { mapAtMost } from '../../../src/base/map-at-most.ts';

describe('mapAtMost', () => {
  it('keeps the order, and has at most so many in progress', async () => {
    const waiting: (() => void)[] = [];
    let most = 0;
    const mapped = mapAtMost(3, [0, 1, 2, 3, 4], async (item, index) => {
      const ended = new Promise<void>((resolve) => waiting.push(resolve));
      most = Math.max(most, waiting.length);
      // Of three that wait, the last ends first.
      if (waiting.length === 3 || index === 4) for (const end of waiting.splice(0).reverse()) end();
      await ended;
      return item * 10;
    });
    expect(await mapped).toEqual([0, 10, 20, 30, 40]);
    expect(most).toBe(3);
    expect(await mapAtMost(3, [], async () => 1)).toEqual([]);
  });

  it('starts nothing after a failure, and waits for what is in progress', async () => {
    const log: string[] = [];
    const slow = Promise.withResolvers<void>();
    const mapped = mapAtMost(2, ['slow', 'fails', 'never'], async (item) => {
      log.push(item);
      if (item === 'fails') {
        slow.resolve();
        throw new Error('no');
      }
      await slow.promise;
      log.push('slow ended');
    });
    await expect(mapped).rejects.toThrow('no');
    expect(log).toEqual(['slow', 'fails', 'slow ended']);
  });
});
