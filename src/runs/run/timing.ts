import type { Step } from '../store/trace.ts';

export type Timed = Pick<Step, 'started_at' | 'duration_ms'>;

/** Begins now; what it returns tells since when and how long. */
export function startClock(): () => Timed {
  const started_at = new Date().toISOString();
  const begun = performance.now();
  return () => ({ started_at, duration_ms: Math.round((performance.now() - begun) * 10) / 10 });
}

/** Rejects with the signal's reason once that is aborted, whatever becomes of the promise. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
