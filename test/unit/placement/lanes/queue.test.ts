import { describe, expect, test } from 'vitest';
import { LaneQueue } from '../../../../src/placement/lanes/queue.ts';

function lane(id: string) {
  const { promise, resolve } = Promise.withResolvers<string>();
  return { id, whenEnded: promise, lose: () => resolve('silent'), drop: () => resolve('dropped') };
}
type Lane = ReturnType<typeof lane>;

describe('the queue of lanes', () => {
  test('gives each lane to one run, in order of request', async () => {
    const queue = new LaneQueue<Lane>();
    const runs = [queue.take(), queue.take(), queue.take()];
    const [one, two, three] = [lane('1'), lane('2'), lane('3')];

    for (const each of [one, two, three]) queue.add(each);

    expect(await Promise.all(runs)).toEqual([one, two, three]);
    const later = queue.take();
    queue.giveBack(two);
    expect(await later).toBe(two);
  });

  test('gives no lane that was lost while it waited', async () => {
    const queue = new LaneQueue<Lane>();
    const [lost, good] = [lane('lost'), lane('good')];
    queue.add(lost);
    queue.add(good);

    lost.lose();
    await lost.whenEnded;

    expect(await queue.take()).toBe(good);
    expect(queue.lanes).toEqual([good]);
  });

  test('lets a run wait until a lane is replaced', async () => {
    const queue = new LaneQueue<Lane>();
    const first = lane('first');
    queue.add(first);
    await queue.take();
    first.lose();
    await first.whenEnded;
    expect(queue.lanes).toEqual([]);

    const again = queue.take();
    const second = lane('second');
    queue.add(second);

    expect(await again).toBe(second);
  });

  test('drops the earlier connection of the same task, and gives it to no run', async () => {
    const queue = new LaneQueue<Lane>();
    const [old, twice, other] = [lane('same'), lane('same'), lane('other')];
    queue.add(old);

    queue.add(twice);
    queue.add(other);

    expect(await old.whenEnded).toBe('dropped');
    expect(await queue.take()).toBe(twice);
    expect(await queue.take()).toBe(other);
  });

  test('ends the run of a lane whose task connects again', async () => {
    const queue = new LaneQueue<Lane>();
    const old = lane('same');
    queue.add(old);
    const taken = await queue.take();

    queue.add(lane('same'));

    expect(await taken.whenEnded).toBe('dropped');
  });

  test('keeps a lane that connects after its run was cancelled for the next run', async () => {
    const queue = new LaneQueue<Lane>();
    const cancel = new AbortController();
    const cancelled = queue.take(cancel.signal);
    cancel.abort(new Error('cancelled'));
    await expect(cancelled).rejects.toThrow('cancelled');

    const late = lane('late');
    queue.add(late);

    expect(await queue.take()).toBe(late);
  });

  test('gives a returned lane to the next run, unless it was lost', async () => {
    const queue = new LaneQueue<Lane>();
    const only = lane('only');
    queue.add(only);
    await queue.take();
    const second = queue.take();

    queue.giveBack(only);

    expect(await second).toBe(only);
    only.lose();
    await only.whenEnded;
    queue.giveBack(only);
    expect(queue.lanes).toEqual([]);
  });

  test('rejects all runs that wait', async () => {
    const queue = new LaneQueue<Lane>();
    const waiting = [queue.take(), queue.take()];

    queue.fail(new Error('no suitable node'));

    for (const each of waiting) await expect(each).rejects.toThrow('no suitable node');
  });

  test('rejects a run that is already cancelled', async () => {
    const queue = new LaneQueue<Lane>();

    await expect(queue.take(AbortSignal.abort(new Error('before')))).rejects.toThrow('before');

    const only = lane('only');
    queue.add(only);
    expect(await queue.take()).toBe(only);
  });
});
