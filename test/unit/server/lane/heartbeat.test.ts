import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Heartbeat } from '../../../../src/server/lane/heartbeat.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('a side that is silent for 20 seconds and more is lost, once', () => {
  const ping = vi.fn();
  const lost = vi.fn();
  new Heartbeat({ ping, lost });

  vi.advanceTimersByTime(20_000);
  expect(ping).toHaveBeenCalledTimes(4);
  expect(lost).not.toHaveBeenCalled();
  vi.advanceTimersByTime(60_000);

  expect(lost).toHaveBeenCalledTimes(1);
});

test('a side that says something now and then is not lost', () => {
  const lost = vi.fn();
  const heartbeat = new Heartbeat({ ping: () => {}, lost });

  for (let at = 0; at < 100; at += 1) {
    vi.advanceTimersByTime(15_000);
    heartbeat.reset();
  }

  expect(lost).not.toHaveBeenCalled();
  heartbeat.stop();
});
