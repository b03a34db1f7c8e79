import type { Step } from '../../traces/trace.ts';

export type Timed = Pick<Step, 'started_at' | 'duration_ms'>;

/** Starts a clock. The returned function gives the start time and the duration so far. */
export function startClock(): () => Timed {
  const started_at = new Date().toISOString();
  const startedAt = performance.now();
  return () => ({ started_at, duration_ms: Math.round((performance.now() - startedAt) * 10) / 10 });
}
