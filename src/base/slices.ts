/** Work that can be interrupted wherever it yields. */
export type Work<T> = Generator<undefined, T, undefined>;

/** Runs the work without a pause. */
export function runToEnd<T>(work: Work<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** Runs the work for a number of milliseconds and returns whether it is complete. */
export function runFor(work: Work<unknown>, ms: number): boolean {
  const end = performance.now() + ms;
  do {
    if (work.next().done === true) return true;
  } while (performance.now() < end);
  return false;
}

/** Length of a slice in milliseconds, which limits how long other work in the process waits. */
const SLICE_MS = 8;

/** End of the current slice. It is shared by all work, because separate slices would add up to a long delay. */
let sliceEnd: number | undefined;
type Resume = () => void;
/** Work that has not started. It goes first, because it is often short and a user waits for it. */
const fresh: Resume[] = [];
const interruptions: Resume[] = [];

/** Runs the work in slices, with other work of the process in between. Returns undefined if it was cancelled. */
export async function inSlices<T>(work: Work<T>): Promise<T>;
export async function inSlices<T>(work: Work<T>, token: CancellationToken | undefined): Promise<T | undefined>;
export async function inSlices<T>(work: Work<T>, token?: CancellationToken): Promise<T | undefined> {
  let end = sliceEnd ?? beginSlice();
  if (performance.now() >= end) end = await nextSlice(fresh);
  while (token?.isCancellationRequested !== true) {
    do {
      const { done, value } = work.next();
      if (done === true) return value;
    } while (performance.now() < end);
    end = await nextSlice(interruptions);
  }
  return undefined;
}

function nextSlice(queue: Resume[]): Promise<number> {
  return new Promise((resolve) => queue.push(() => resolve(beginSlice())));
}

function beginSlice(): number {
  sliceEnd = performance.now() + SLICE_MS;
  setImmediate(() => {
    sliceEnd = undefined;
    const resume = fresh.shift() ?? interruptions.shift();
    resume?.();
  });
  return sliceEnd;
}

/** A cancellation token of the editor. */
interface CancellationToken {
  readonly isCancellationRequested: boolean;
}
