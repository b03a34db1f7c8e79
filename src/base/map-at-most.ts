/**
 * As `Promise.all(items.map(work))`, with at most `limit` items in progress: each open file counts towards the limit of the
 * process. After a failure nothing more is started; rejects with it when everything in progress has ended.
 */
export async function mapAtMost<T, R>(
  limit: number,
  items: readonly T[],
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(items.length);
  const queue = items.entries();
  const failures: unknown[] = [];
  const next = async (): Promise<void> => {
    for (const [index, item] of queue) {
      if (failures.length > 0) return;
      try {
        results[index] = await work(item, index);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, next));
  if (failures.length > 0) throw failures[0];
  return results;
}
