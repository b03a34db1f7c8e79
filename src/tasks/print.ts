import type { Call } from './task.ts';

/** Formats a call for display: `page_contains("Order placed")`. */
export function printCall(call: Pick<Call, 'function' | 'args'>): string {
  return `${call.function}(${call.args.map((arg) => JSON.stringify(arg)).join(', ')})`;
}
