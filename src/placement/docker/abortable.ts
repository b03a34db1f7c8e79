/** The promise, or a rejection with the reason of the signal once that is aborted. What the promise stands for goes on. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((done, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(done, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
