import * as z from 'zod';
import { seconds, timeoutOf } from '../workspace.ts';

const names = z.array(z.string().min(1)).optional();

/** The last argument of `tests_pass`: the time limit in seconds, or an object that also names the tests that count. */
export const testOptions = z
  .union(
    [
      seconds.unwrap(),
      z
        .strictObject({ fail_to_pass: names, pass_to_pass: names, timeout_s: seconds })
        .refine(
          (options) => namesIn(options).length > 0 || (options.fail_to_pass ?? options.pass_to_pass) === undefined,
          {
            error: 'expected at least one name in `fail_to_pass` or `pass_to_pass`',
          },
        ),
    ],
    { error: 'expected a number of seconds, or an object of `fail_to_pass`, `pass_to_pass` and `timeout_s`' },
  )
  .optional();

interface Names {
  readonly fail_to_pass?: readonly string[] | undefined;
  readonly pass_to_pass?: readonly string[] | undefined;
}

/** The names of the tests that count, each once; empty if all tests count. */
export function namesIn(options: number | Names | undefined): readonly string[] {
  if (typeof options !== 'object') return [];
  return [...new Set([...(options.fail_to_pass ?? []), ...(options.pass_to_pass ?? [])])];
}

/** The time limit of the command in ms. */
export function timeoutIn(options: unknown): number {
  const hasMembers = typeof options === 'object' && options !== null;
  return timeoutOf(hasMembers ? (options as { timeout_s?: unknown }).timeout_s : options);
}
