import type { Json } from '../base/json.ts';

/** Whether Python takes a value for true. False for a value that is missing. */
export function isTruthy(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Number.isNaN(value) || Boolean(value);
}
