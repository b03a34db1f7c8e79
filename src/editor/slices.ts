import type * as vscode from 'vscode';

/** Short enough that typing and drawing go on. */
const SLICE_MS = 10;

/** Does work that yields, in slices with a pause after each; undefined where it was cancelled. */
export async function inSlices<T>(
  work: Generator<undefined, T, undefined>,
  cancelled?: vscode.CancellationToken,
): Promise<T | undefined> {
  for (;;) {
    const end = performance.now() + SLICE_MS;
    while (performance.now() < end) {
      const { done, value } = work.next();
      if (done === true) return value;
    }
    await new Promise((resolve) => setImmediate(resolve));
    if (cancelled?.isCancellationRequested === true) return undefined;
  }
}
