/** What a promise that does not reject comes to, where it does so within `ms`; else null. */
export async function inTime<T>(ms: number, promise: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, ms, null);
  });
  const value = await Promise.race([promise, late]);
  clearTimeout(timer);
  return value;
}
