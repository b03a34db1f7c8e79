import * as z from 'zod';
import { equalJson, type Json } from '../base/json.ts';
import type { FunctionContext, Verdict } from './declaration.ts';
import { declare } from './declare.ts';
import { episodeOf } from './needs.ts';
import { matchesValue, patternProblem } from './pattern.ts';
import { valueDifference } from './pattern-differences.ts';
import { atPath, readPath } from './value-path.ts';
import { excerpt, hintFirst } from './words.ts';

const path = z.string().refine((text) => readPath(text) !== null, {
  error: 'expected a path such as board.0.1 or messages[-1].content',
});

/** A value, or a pattern in Python's notation. */
const valueOrPattern = z.unknown().superRefine((value, context) => {
  const problem = typeof value === 'string' ? patternProblem(value) : null;
  if (problem?.problem === 'invalid') context.addIssue({ code: 'custom', message: problem.message });
});

/** Evaluate functions of what an environment with its own rewards reports. */
export const episodeFunctions = [
  declare({
    name: 'observation_matches',
    phase: 'evaluate',
    needs: ['episode'],
    reads: ['observation'],
    args: z.tuple([path, valueOrPattern]),
    parameters: ['path', 'value'],
    doc: 'Checks whether the last observation has the value at the path (`board.0.1`, `messages[-1].content`). A string can be a pattern (Python syntax).',
    run: async (context, at, value): Promise<Verdict> =>
      compare('the observation', episodeOf(context).observation, at, value as Json),
  }),
  declare({
    name: 'state_matches',
    phase: 'evaluate',
    needs: ['episode'],
    reads: ['state'],
    args: z.tuple([path, valueOrPattern]),
    parameters: ['path', 'value'],
    doc: 'Checks whether the state of the environment has the value at the path (`step_count`). A string can be a pattern (Python syntax).',
    run: async (context: FunctionContext, at, value): Promise<Verdict> =>
      compare('the state', await episodeOf(context).state(), at, value as Json),
  }),
  declare({
    name: 'total_reward_at_least',
    phase: 'evaluate',
    needs: ['episode'],
    reads: ['rewards'],
    args: z.tuple([z.number()]),
    parameters: ['reward'],
    doc: 'Checks whether the environment’s rewards for all actions add up to at least the number.',
    async run(context, least): Promise<Verdict> {
      // Sums of decimal fractions are inexact: 0.1 + 0.2 is to be 0.3.
      const total = Number(episodeOf(context).totalReward.toPrecision(12));
      return total >= least
        ? { value: 1, reason: `the rewards add up to ${total}` }
        : { value: 0, reason: `the rewards add up to ${total}, expected at least ${least}` };
    },
  }),
];

function compare(what: string, whole: Json, at: string, value: Json): Verdict {
  const target = atPath(whole, readPath(at) ?? []);
  if ('missing' in target) return { value: 0, reason: `${what} has nothing at “${at}”: ${target.missing}` };
  const text = typeof target.value === 'string' ? target.value : JSON.stringify(target.value);
  const same = typeof value === 'string' ? matchesValue(value, text) : equalJson(value, target.value);
  const is = `“${at}” of ${what} is ${excerpt(text)}`;
  if (same) return { value: 1, reason: is };
  const expectedText = typeof value === 'string' ? value : JSON.stringify(value);
  const failure = `${is}, expected ${excerpt(expectedText)}`;
  // The string "5" and the number 5 have the same text.
  const hint =
    text === expectedText
      ? `the value has the type string, expected ${value === null ? 'null' : typeof value}`
      : valueDifference(expectedText, text);
  return { value: 0, reason: hintFirst(hint, failure) };
}
