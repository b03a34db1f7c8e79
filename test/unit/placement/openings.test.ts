import { expect, it, onTestFinished, vi } from 'vitest';
import { Openings } from '../../../src/placement/openings.ts';
import type { Lease } from '../../../src/placement/placement.ts';

/** An environment that opens when `resolve` is called. */
function environment() {
  const release = vi.fn(async () => {});
  const { promise, resolve } = Promise.withResolvers<Lease>();
  return { promise, release, open: () => resolve({ release } as unknown as Lease) };
}

it('aborts an opening that hangs with the signal, and releases it if it completes later', async () => {
  const openings = new Openings();
  const { promise, release, open } = environment();
  const cancel = new AbortController();
  const opened = openings.open(cancel.signal, () => promise);
  cancel.abort(new Error('cancelled'));
  await expect(opened).rejects.toThrow('cancelled');
  const ended = openings.end();
  open();
  await ended;
  expect(release).toHaveBeenCalledOnce();
});

it('does not release an opening that succeeds', async () => {
  const openings = new Openings();
  const { promise, release, open } = environment();
  const opened = openings.open(undefined, () => promise);
  open();
  await opened;
  await openings.end();
  expect(release).not.toHaveBeenCalled();
});

it('rejects with the reason of an opening that fails', async () => {
  const opened = new Openings().open(undefined, () => Promise.reject(new Error('no room')));
  await expect(opened).rejects.toThrow('no room');
});

it('ends a placement although an opening hangs', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const openings = new Openings();
  const opened = openings.open(undefined, () => new Promise<Lease>(() => {}));
  const ended = openings.end();
  await expect(opened).rejects.toMatchObject({ code: 'placement_disposed' });
  await vi.advanceTimersByTimeAsync(30_000);
  await ended;
});
