/** The value of a promise, or null if it does not settle within `ms` milliseconds. Rejects if the promise does. */
export async function withTimeout<T>(ms: number, promise: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, ms, null);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The result of work with a signal that is aborted after `ms` milliseconds, or when the caller's is. If the work then rejects,
 * rejects with the caller's reason, or with the error of `onLate`.
 */
export async function withLimit<T>(
  ms: number,
  signal: AbortSignal | undefined,
  work: (stop: AbortSignal) => Promise<T>,
  onLate: (cause: unknown) => Error,
): Promise<T> {
  const late = AbortSignal.timeout(ms);
  try {
    return await work(signal === undefined ? late : AbortSignal.any([signal, late]));
  } catch (error) {
    signal?.throwIfAborted();
    throw late.aborted ? onLate(error) : error;
  }
}
