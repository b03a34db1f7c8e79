/** Work that may be interrupted wherever it yields. */
export type Work<T> = Generator<undefined, T, undefined>;

/** Does the work without a pause. */
export function atOnce<T>(work: Work<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** Does the work for so many milliseconds; says whether it is done. */
export function during(work: Work<unknown>, ms: number): boolean {
  const end = performance.now() + ms;
  do {
    if (work.next().done === true) return true;
  } while (performance.now() < end);
  return false;
}

/** Milliseconds of a slice: what else waits in the process is kept waiting no longer. */
const SLICE_MS = 8;

/** Does the work in slices, and lets the process do what else there is in between; undefined where it was cancelled. */
export async function inSlices<T>(work: Work<T>): Promise<T>;
export async function inSlices<T>(work: Work<T>, cancelled: Cancelled | undefined): Promise<T | undefined>;
export async function inSlices<T>(work: Work<T>, cancelled?: Cancelled): Promise<T | undefined> {
  for (;;) {
    const end = performance.now() + SLICE_MS;
    do {
      const { done, value } = work.next();
      if (done === true) return value;
    } while (performance.now() < end);
    await new Promise((resume) => setImmediate(resume));
    if (cancelled?.isCancellationRequested === true) return undefined;
  }
}

/** Who asked for the work may no longer want it: an editor's cancellation token. */
interface Cancelled {
  readonly isCancellationRequested: boolean;
}
