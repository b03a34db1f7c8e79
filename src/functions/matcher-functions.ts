import * as z from 'zod';
import { pythonNumber } from '../python/numbers.ts';
import { pattern } from './arguments.ts';
import type { Verdict } from './declaration.ts';
import { declareForResponse } from './declare.ts';
import { differenceIn, differenceOf } from './differences.ts';
import { response, responseMatching, responseWith, responseWithEach } from './expected.ts';
import { diffSimilarity, fuzzySimilarity } from './graders/similarity.ts';
import { strip } from './graders/text.ts';
import { judgePattern } from './response-functions.ts';
import { anyText, blankTexts, emptyTexts, noTexts } from './trivial.ts';
import { areAll, excerpt, hintFirst, quote, quoteAll } from './words.ts';

/** A text, or a number as Python prints it. */
const text = z.union([z.string(), z.number().transform((value) => pythonNumber(value, undefined))], {
  error: 'expected a string or a number',
});
/** HUD also takes a string, and searches for each of its characters. */
const answers = z.union([z.string(), z.array(text)], { error: 'expected a list of strings' });

/** The matchers of hud.evaluators (hud-python 0.2.10), with the response as their first argument. */
export const matcherFunctions = [
  declareForResponse({
    name: 'match_single',
    args: z.tuple([text]),
    parameters: ['answer'],
    doc: 'Checks whether the response contains the text. Ignores case and surrounding white space.',
    expected: responseWith,
    trivial: blankTexts,
    judge(response, answerText) {
      const answer = strip(answerText.toLowerCase());
      if (strip(response.toLowerCase()).includes(answer)) {
        return { value: 1, reason: `the response contains ${quote(answerText)}` };
      }
      const hint = differenceIn([strip(answerText)], response, true);
      return { value: 0, reason: hintFirst(hint, `${quote(answerText)} is not in the response ${excerpt(response)}`) };
    },
  }),
  declareForResponse({
    name: 'match_all',
    // HUD's import of Inspect's samples writes the answers as arguments, one each.
    args: z.union([z.tuple([answers]), z.tuple([text, text]).rest(text)], {
      error: 'expected a list of strings, or several strings',
    }),
    parameters: ['answers'],
    doc: 'Returns the fraction of the texts in a list that the response contains. Case-insensitive.',
    searchesCharacters: (first, ...more) => more.length === 0 && typeof first === 'string' && first !== '',
    expected(first, ...more) {
      const texts = more.length === 0 ? first : [first, ...more].flat();
      return texts.length === 0 ? null : responseWithEach(texts);
    },
    trivial(first, ...more) {
      if (more.length > 0) return null;
      return noTexts(first) ?? (typeof first === 'string' ? null : emptyTexts(first));
    },
    judge(response, ...args) {
      const [first] = args;
      const all = args.length === 1 && first !== undefined ? [...first] : args.flat();
      const lowerCase = response.toLowerCase();
      const missing = all.filter((one) => !lowerCase.includes(one.toLowerCase()));
      if (all.length === 0) return { value: 0, reason: 'the list of texts is empty' };
      if (missing.length === 0) return { value: 1, reason: `the response contains ${quoteAll(all)}` };
      const count = all.length - missing.length;
      const failure = hintFirst(
        differenceIn(missing, response, true),
        `${areAll(missing)} not in the response ${excerpt(response)}`,
      );
      return { value: count / all.length, reason: `${count} of ${all.length} found; ${failure}` };
    },
  }),
  declareForResponse({
    name: 'match_fuzzy',
    args: z.tuple([text]),
    parameters: ['answer'],
    doc: 'Returns the similarity of the response and the text: 1 minus their edit distance divided by the longer length. Case-insensitive.',
    expected: response,
    judge: (response, answer) => similarityVerdict(fuzzySimilarity(response, answer), response, answer, true),
  }),
  declareForResponse({
    name: 'match_regex',
    args: z.tuple([pattern]),
    parameters: ['pattern'],
    doc: 'Checks whether the pattern (Python syntax; a dot also matches line breaks) matches the response.',
    expected: responseMatching,
    trivial: anyText,
    judge: (response, regex) => judgePattern(response, regex, { dotAll: true }),
  }),
  declareForResponse({
    name: 'match_diff',
    args: z.tuple([text]),
    parameters: ['answer'],
    doc: "Returns the similarity of the response and the text: the `ratio` of Python's `difflib`. Case-sensitive.",
    expected: response,
    judge: (response, answer) => similarityVerdict(diffSimilarity(response, answer), response, answer, false),
  }),
];

function similarityVerdict(value: number, response: string, expectedText: string, ignoresCase: boolean): Verdict {
  if (value === 1) return { value, reason: `the response is ${quote(expectedText)}` };
  const percent = Number((100 * value).toFixed(1));
  const failure = `${excerpt(response)} is ${percent} % similar to ${quote(expectedText)}`;
  return { value, reason: hintFirst(differenceOf(expectedText, response, ignoresCase), failure) };
}
