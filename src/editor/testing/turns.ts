/** Does a piece of work for each item, so many at a time, in their order; after a cancel begins no more. */
export async function inTurns<T>(
  items: readonly T[],
  atOnce: number,
  cancelled: () => boolean,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (;;) {
      const item = items[next];
      if (next >= items.length || item === undefined || cancelled()) return;
      next += 1;
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
}
