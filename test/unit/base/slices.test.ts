import { describe, expect, it } from 'vitest';
import { inSlices, type Work } from '../../../src/base/slices.ts';

/** Longer than a slice. */
const LONG_MS = 12;

describe('inSlices', () => {
  it('runs one slice in each turn of the event loop, however much work there is', async () => {
    const turn = countTurns();
    const did: { name: string; turn: number }[] = [];
    function* work(name: string): Work<string> {
      for (let step = 0; step < 4; step += 1) {
        did.push({ name, turn: turn.now });
        const end = performance.now() + LONG_MS;
        while (performance.now() < end);
        yield;
      }
      return name;
    }
    const done = await Promise.all(['a', 'b', 'c'].map((name) => inSlices(work(name))));
    turn.stop();
    expect(done).toEqual(['a', 'b', 'c']);
    expect(new Set(did.map((step) => step.turn)).size).toBe(12);
    expect(new Set(did.slice(-3).map(({ name }) => name))).toEqual(new Set(['a', 'b', 'c']));
  });

  it('starts new work before it continues old work', async () => {
    const did: string[] = [];
    const all: Promise<void>[] = [];
    function* work(name: string, then?: () => void): Work<void> {
      for (let step = 0; step < 2; step += 1) {
        did.push(name);
        if (step === 1) then?.();
        const end = performance.now() + LONG_MS;
        while (performance.now() < end);
        yield;
      }
    }
    const begin = (name: string, then?: () => void): void => void all.push(inSlices(work(name, then)));
    begin('old', () => begin('new'));
    begin('older');
    while (did.length < 6) await Promise.all(all);
    expect(did).toEqual(['old', 'older', 'old', 'new', 'older', 'new']);
  });

  it('ends without a result if it is cancelled', async () => {
    const cancelled = { isCancellationRequested: false };
    function* endless(): Work<string> {
      for (;;) {
        cancelled.isCancellationRequested = true;
        yield;
      }
    }
    expect(await inSlices(endless(), cancelled)).toBeUndefined();
  });
});

/** Counts the turns of this process's loop. */
function countTurns(): { readonly now: number; stop(): void } {
  let now = 0;
  let next = setImmediate(count);
  function count(): void {
    now += 1;
    next = setImmediate(count);
  }
  return {
    get now() {
      return now;
    },
    stop: () => clearImmediate(next),
  };
}
