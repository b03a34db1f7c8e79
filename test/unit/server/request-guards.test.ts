import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { MAX_TIMEOUT_MS } from '../../../src/base/time-limit.ts';
import { type GuardedSession, guardTime } from '../../../src/server/request-guards.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const sessionWith = (end: GuardedSession['end']): GuardedSession => ({
  isDebugged: () => false,
  ping: () => Promise.resolve(),
  end,
});

it('a session is ended some time after the limit of its call', () => {
  const end = vi.fn();
  guardTime(sessionWith(end), { ms: 2_000, name: 'judge' });
  vi.advanceTimersByTime(2_500);
  expect(end).not.toHaveBeenCalled();
  vi.advanceTimersByTime(60_000);
  expect(end).toHaveBeenCalledWith('call_timeout', expect.stringContaining('judge did not return within 2 s'));
});

it.each([
  ['page_contains', 'increase the time limit of calls'],
  ['judge', 'Check it for an endless loop'],
])('%s that cannot be interrupted: %s', (name, advice) => {
  const end = vi.fn();
  guardTime(sessionWith(end), { ms: 2_000, name });
  vi.advanceTimersByTime(60_000);
  expect(end).toHaveBeenCalledWith('call_timeout', expect.stringContaining(advice));
  expect(/loop/.test(String(end.mock.calls[0]?.[1]))).toBe(name === 'judge');
});

it.each([2_147_483_000, MAX_TIMEOUT_MS])('a call with a limit of %i ms is not ended at once', (ms) => {
  const end = vi.fn();
  guardTime(sessionWith(end), { ms, name: 'judge' });
  vi.advanceTimersByTime(60_000);
  expect(end).not.toHaveBeenCalled();
});
