import { describe, expect, it } from 'vitest';
import { OrderedEvents } from '../../../src/runs/run/ordered-events.ts';

/** Events, and what they have told: the texts of logs. */
function listened(): { events: OrderedEvents; told: string[]; say: (text: string) => void } {
  const told: string[] = [];
  const events = new OrderedEvents((event) => told.push(event.type === 'log' ? event.text : event.type));
  return { events, told, say: (text) => events.emit({ type: 'log', text }) };
}

describe('records and events of a run', () => {
  it('keep their order, even if the first takes longest', async () => {
    const { events, told, say } = listened();
    const first = Promise.withResolvers<void>();
    const written = [
      events.write(async (tell) => {
        await first.promise;
        tell({ type: 'log', text: 'first' });
        return 1;
      }),
      events.write(async (tell) => {
        tell({ type: 'log', text: 'second' });
        return 2;
      }),
    ];
    say('third');
    await Promise.resolve();
    expect(told).toEqual([]);
    first.resolve();
    expect(await Promise.all(written)).toEqual([1, 2]);
    await events.settle();
    expect(told).toEqual(['first', 'second', 'third']);
  });

  it('are emitted at once if nothing is being written', async () => {
    const { events, told, say } = listened();
    say('before');
    expect(told).toEqual(['before']);
    await events.write(async () => undefined);
    await events.settle();
    say('after');
    expect(told).toEqual(['before', 'after']);
  });

  it('continue if a part cannot be written, and report the first failure', async () => {
    const { events, told, say } = listened();
    const failing = events.write(() => Promise.reject(new Error('the first')));
    const other = events.write(() => Promise.reject(new Error('the second')));
    say('still told');
    await expect(events.settle()).rejects.toThrow('the first');
    await expect(failing).rejects.toThrow('the first');
    await expect(other).rejects.toThrow('the second');
    expect(told).toEqual(['still told']);
    await expect(events.settle()).rejects.toThrow('the first');
  });
});
