import type { Call } from './task.ts';

/** A call as it is written for people: `page_contains("Order placed")`. */
export function printCall(call: Pick<Call, 'function' | 'args'>): string {
  return `${call.function}(${call.args.map((arg) => JSON.stringify(arg)).join(', ')})`;
}
