import { withTimeout } from '../../base/timeout.ts';

/** Time limits of the browser environment, in milliseconds. */
export interface Limits {
  /** Opening the first page in a browser that has started. */
  readonly start: number;
  /** One element action. */
  readonly action: number;
  /** Opening a URL. */
  readonly navigation: number;
  /** Waiting for requests of the page after an action. */
  readonly quiet: number;
  /** Taking a screenshot or reading the accessibility tree. */
  readonly observe: number;
}

export const LIMITS: Limits = { start: 30_000, action: 5000, navigation: 10_000, quiet: 500, observe: 10_000 };

/** Thrown if something exceeds its time limit. */
export class OutOfTime extends Error {}

/** The promise's value, or a rejection with `OutOfTime` after the limit. */
export async function within<T>(ms: number, what: string, promise: Promise<T>): Promise<T> {
  const outcome = await withTimeout(
    ms,
    promise.then((value) => ({ value })),
  );
  if (outcome === null) throw new OutOfTime(`${what} took longer than ${seconds(ms)}`);
  return outcome.value;
}

/** `5 s`, `0.3 s` */
export function seconds(ms: number): string {
  return `${Number((ms / 1000).toFixed(1))} s`;
}
