import * as z from 'zod';
import { pattern, texts } from './arguments.ts';
import type { Verdict } from './declaration.ts';
import { declare } from './declare.ts';
import { responseMatching, responseWith } from './expected.ts';
import { findPattern } from './pattern.ts';
import { anyText, emptyTexts } from './trivial.ts';
import { areAll, excerpt, hintFirst, quote, quoteAll } from './words.ts';

export const NO_RESPONSE: Verdict = { value: 0, reason: 'the agent gave no response' };

/** Evaluate functions of the agent's response. */
export const responseFunctions = [
  declare({
    name: 'response_includes',
    phase: 'evaluate',
    needs: [],
    reads: ['response'],
    args: z.tuple([texts]),
    parameters: ['text'],
    doc: 'Checks whether the response contains the text, or all texts in a list. Case-sensitive.',
    expected: responseWith,
    trivial: emptyTexts,
    async run({ response }, expectedTexts): Promise<Verdict> {
      if (response === null) return NO_RESPONSE;
      const all = typeof expectedTexts === 'string' ? [expectedTexts] : expectedTexts;
      const missing = all.filter((text) => !response.includes(text));
      if (missing.length === 0) return { value: 1, reason: `the response contains ${quoteAll(all)}` };
      const inOtherCase = missing.filter((text) => response.toLowerCase().includes(text.toLowerCase()));
      const inOtherForm = missing.filter((text) => response.normalize().includes(text.normalize()));
      const hint =
        inOtherCase.length > 0
          ? `different capitalization: ${quoteAll(inOtherCase)}`
          : inOtherForm.length > 0
            ? `different Unicode normalization: ${quoteAll(inOtherForm)}`
            : '';
      return { value: 0, reason: hintFirst(hint, `${areAll(missing)} not in the response ${excerpt(response)}`) };
    },
  }),
  declare({
    name: 'response_is',
    phase: 'evaluate',
    needs: [],
    reads: ['response'],
    args: z.tuple([z.string()]),
    parameters: ['text'],
    doc: 'Checks whether the response equals the text exactly. Case-sensitive.',
    expected: responseWith,
    async run({ response }, text): Promise<Verdict> {
      if (response === null) return NO_RESPONSE;
      if (response === text) return { value: 1, reason: `the response is ${quote(text)}` };
      const hint =
        response.trim() === text.trim()
          ? ' (differs in surrounding white space)'
          : response.toLowerCase() === text.toLowerCase()
            ? ' (differs in capitalization)'
            : response.normalize() === text.normalize()
              ? ' (differs in Unicode normalization)'
              : '';
      return { value: 0, reason: `expected ${quote(text)}, the response is ${excerpt(response)}${hint}` };
    },
  }),
  declare({
    name: 'response_match',
    phase: 'evaluate',
    needs: [],
    reads: ['response'],
    args: z.tuple([pattern]),
    parameters: ['pattern'],
    doc: 'Checks whether the pattern (Python syntax) matches the response.',
    expected: responseMatching,
    trivial: anyText,
    async run({ response }, regex): Promise<Verdict> {
      if (response === null) return NO_RESPONSE;
      const [match] = findPattern(regex, [response]);
      return match !== undefined
        ? { value: 1, reason: `the pattern matches ${excerpt(match)} in the response` }
        : { value: 0, reason: `the pattern ${quote(regex)} does not match the response ${excerpt(response)}` };
    },
  }),
];
