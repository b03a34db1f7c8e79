import { nesting } from './json-scan.ts';

/** More than any task has. What handles JSON by recursion, such as a schema, would run out of stack with many more. */
const MAX_LEVELS = 1_000;

/** Parses JSON that others have written. Throws a `SyntaxError` for text that is not JSON, or is nested too deeply. */
export function parseJson(text: string): unknown {
  if (nesting(text) > MAX_LEVELS) throw new SyntaxError(`it is nested more than ${MAX_LEVELS} levels deep`);
  return JSON.parse(text);
}
