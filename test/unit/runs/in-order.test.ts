import { describe, expect, it } from 'vitest';
import { InOrder } from '../../../src/runs/in-order.ts';

describe('one thing after the other', () => {
  it('also where the first takes longest', async () => {
    const order = new InOrder();
    const done: string[] = [];
    const first = Promise.withResolvers<void>();
    const results = [
      order.do(async () => {
        await first.promise;
        done.push('first');
        return 1;
      }),
      order.do(async () => {
        done.push('second');
        return 2;
      }),
    ];
    order.say(() => done.push('said'));
    await Promise.resolve();
    expect(done).toEqual([]);
    first.resolve();
    expect(await Promise.all(results)).toEqual([1, 2]);
    await order.settled();
    expect(done).toEqual(['first', 'second', 'said']);
  });

  it('what is said while nothing is waited for is said at once', async () => {
    const order = new InOrder();
    const said: string[] = [];
    order.say(() => said.push('before'));
    expect(said).toEqual(['before']);
    await order.do(async () => undefined);
    await order.settled();
    order.say(() => said.push('after'));
    expect(said).toEqual(['before', 'after']);
  });

  it('goes on where one fails, and says which failed first', async () => {
    const order = new InOrder();
    const said: string[] = [];
    const failing = order.do(() => Promise.reject(new Error('the first')));
    const other = order.do(() => Promise.reject(new Error('the second')));
    order.say(() => said.push('said'));
    await expect(order.settled()).rejects.toThrow('the first');
    await expect(failing).rejects.toThrow('the first');
    await expect(other).rejects.toThrow('the second');
    expect(said).toEqual(['said']);
    await expect(order.settled()).rejects.toThrow('the first');
  });
});
