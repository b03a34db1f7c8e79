import { isObject } from '../base/json.ts';
import type { Call } from './task.ts';

/** Whether two calls are the same at any location. Masked secrets in `a`, the recorded call, match any text. */
export function isSameCall(a: Pick<Call, 'function' | 'args'>, b: Pick<Call, 'function' | 'args'>): boolean {
  return a.function === b.function && isSameText(canonical(a.args), canonical(b.args));
}

/** As JSON, with the keys of objects in a fixed order. */
function canonical(args: Call['args']): string {
  return JSON.stringify(args, (_, value: unknown) =>
    isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
}

/** What replaces a secret in a masked run. */
const MASKED = /<secret>[^<]*<\/secret>|\*{2,}/;

function isSameText(ran: string, now: string): boolean {
  if (ran === now || !MASKED.test(ran)) return ran === now;
  const [first = '', ...rest] = ran.split(MASKED);
  if (!now.startsWith(first)) return false;
  let from = first.length;
  for (const part of rest.slice(0, -1)) {
    const at = now.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  const last = rest.at(-1) ?? '';
  return now.endsWith(last) && now.length - last.length >= from;
}
