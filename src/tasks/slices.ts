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

/** When the slice of this turn of the process ends: one for all work there is, or several works would add up to a long wait. */
let sliceEnd: number | undefined;
type Resume = () => void;
/** Work that has not begun: often what a person waits for, and short, so that it goes first. */
const fresh: Resume[] = [];
const interrupted: Resume[] = [];

/** Does the work in slices, and lets the process do what else there is in between; undefined where it was cancelled. */
export async function inSlices<T>(work: Work<T>): Promise<T>;
export async function inSlices<T>(work: Work<T>, cancelled: Cancelled | undefined): Promise<T | undefined>;
export async function inSlices<T>(work: Work<T>, cancelled?: Cancelled): Promise<T | undefined> {
  let end = sliceEnd ?? beginSlice();
  if (performance.now() >= end) end = await nextSlice(fresh);
  while (cancelled?.isCancellationRequested !== true) {
    do {
      const { done, value } = work.next();
      if (done === true) return value;
    } while (performance.now() < end);
    end = await nextSlice(interrupted);
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
    const resume = fresh.shift() ?? interrupted.shift();
    resume?.();
  });
  return sliceEnd;
}

/** Who asked for the work may no longer want it: an editor's cancellation token. */
interface Cancelled {
  readonly isCancellationRequested: boolean;
}
