import type { Step } from '../store/trace.ts';

export type Timed = Pick<Step, 'started_at' | 'duration_ms'>;

/** Starts a clock. The returned function gives the start time and the duration so far. */
export function startClock(): () => Timed {
  const started_at = new Date().toISOString();
  const startedAt = performance.now();
  return () => ({ started_at, duration_ms: Math.round((performance.now() - startedAt) * 10) / 10 });
}

/** Settles as the promise, or rejects with the signal's reason when the signal is aborted first. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
