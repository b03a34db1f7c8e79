import * as z from 'zod';
import { pattern, texts } from './arguments.ts';
import type { Verdict } from './declaration.ts';
import { declareForResponse } from './declare.ts';
import { differenceIn, differenceOf } from './differences.ts';
import { responseMatching, responseWith } from './expected.ts';
import { findPattern, type PatternFlags } from './pattern.ts';
import { patternDifference } from './pattern-differences.ts';
import { anyText, emptyTexts } from './trivial.ts';
import { areAll, excerpt, hintFirst, quote, quoteAll } from './words.ts';

/** Evaluate functions of the agent's response. */
export const responseFunctions = [
  declareForResponse({
    name: 'response_includes',
    args: z.tuple([texts]),
    parameters: ['text'],
    doc: 'Checks whether the response contains the text, or all texts in a list. Case-sensitive.',
    expected: responseWith,
    trivial: emptyTexts,
    judge(response, expectedTexts) {
      const all = typeof expectedTexts === 'string' ? [expectedTexts] : expectedTexts;
      const missing = all.filter((text) => !response.includes(text));
      if (missing.length === 0) return { value: 1, reason: `the response contains ${quoteAll(all)}` };
      const inOtherCase = missing.filter((text) => response.toLowerCase().includes(text.toLowerCase()));
      const hint =
        inOtherCase.length > 0 ? `different capitalization: ${quoteAll(inOtherCase)}` : differenceIn(missing, response);
      return { value: 0, reason: hintFirst(hint, `${areAll(missing)} not in the response ${excerpt(response)}`) };
    },
  }),
  declareForResponse({
    name: 'response_is',
    args: z.tuple([z.string()]),
    parameters: ['text'],
    doc: 'Checks whether the response equals the text exactly. Case-sensitive.',
    expected: responseWith,
    judge(response, text) {
      if (response === text) return { value: 1, reason: `the response is ${quote(text)}` };
      const inOtherCase = response.toLowerCase() === text.toLowerCase() ? ' (differs in capitalization)' : '';
      const failure = `expected ${quote(text)}, the response is ${excerpt(response)}${inOtherCase}`;
      return { value: 0, reason: hintFirst(differenceOf(text, response), failure) };
    },
  }),
  declareForResponse({
    name: 'response_match',
    args: z.tuple([pattern]),
    parameters: ['pattern'],
    doc: 'Checks whether the pattern (Python syntax) matches the response.',
    expected: responseMatching,
    trivial: anyText,
    judge: (response, regex) => judgePattern(response, regex),
  }),
];

export function judgePattern(response: string, regex: string, flags?: PatternFlags): Verdict {
  const [match] = findPattern(regex, [response], flags);
  if (match !== undefined) return { value: 1, reason: `the pattern matches ${excerpt(match)} in the response` };
  const failure = `the pattern ${quote(regex)} does not match the response ${excerpt(response)}`;
  return { value: 0, reason: hintFirst(patternDifference(regex, [response], flags), failure) };
}
