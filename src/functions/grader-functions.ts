import * as z from 'zod';
import type { Verdict } from './declaration.ts';
import { declareForResponse } from './declare.ts';
import { differenceIn, differenceOf } from './differences.ts';
import { response, responseWith, responseWithEach } from './expected.ts';
import { contains, exactMatch, f1Score, firstNumber, foldSpaces, normalize, strip } from './graders/text.ts';
import { always, emptyTexts, never, noTexts } from './trivial.ts';
import { areAll, excerpt, hintFirst, list, quote, quoteAll } from './words.ts';

const text = z.union([z.string(), z.number()], { error: 'expected a string or a number' });
/** HUD also takes a string, and searches for each of its characters. */
const substrings = z.union([z.string(), z.array(z.string())], { error: 'expected a list of strings' });
const inPlaceOfList = (wanted: string | readonly string[]) => typeof wanted === 'string' && wanted !== '';
const caseSensitive = z.boolean().optional();

/** The text graders of hud.graders (hud 0.6.21), with the response as their first argument. */
export const graderFunctions = [
  declareForResponse({
    name: 'exact_match',
    args: z.tuple([text, z.boolean().optional()]),
    parameters: ['expected', 'normalize_text?'],
    doc: 'Checks whether the response equals the text after normalization: both in lower case, without punctuation, articles, and extra white space. With `false`, only case and surrounding white space are ignored.',
    expected: (wanted) => responseWith(String(wanted)),
    judge(response, answer, normalizeText = true) {
      const expectedText = String(answer);
      const same = response === expectedText ? '' : ' after normalization';
      if (exactMatch(response, expectedText, normalizeText)) {
        return { value: 1, reason: `the response is ${quote(expectedText)}${same}` };
      }
      const comparison = normalizeText
        ? `; compared: ${excerpt(normalize(response))} with ${excerpt(normalize(expectedText))}`
        : '';
      const failure = `expected ${quote(expectedText)}, the response is ${excerpt(response)}${comparison}`;
      const hint = normalizeText
        ? wordDifference(response, expectedText)
        : differenceOf(strip(expectedText), strip(response), true);
      return { value: 0, reason: hintFirst(hint, failure) };
    },
  }),
  declareForResponse({
    name: 'contains',
    args: z.tuple([z.string(), caseSensitive]),
    parameters: ['substring', 'case_sensitive?'],
    doc: 'Checks whether the response contains the text. Case-insensitive unless `case_sensitive` is true.',
    expected: responseWith,
    trivial: emptyTexts,
    judge: (response, wanted, cased) => containsAll(response, [wanted], cased),
  }),
  declareForResponse({
    name: 'contains_any',
    args: z.tuple([substrings, caseSensitive]),
    parameters: ['substrings', 'case_sensitive?'],
    doc: 'Checks whether the response contains at least one text in the list. Case-insensitive unless `case_sensitive` is true.',
    searchesCharacters: inPlaceOfList,
    expected([first]) {
      return first === undefined ? null : response(first);
    },
    trivial: (wanted) =>
      noTexts(wanted) ??
      (typeof wanted !== 'string' && wanted.includes('') ? always('every text contains an empty one') : null),
    judge(response, texts, isCaseSensitive) {
      const all = [...texts];
      const match = all.find((one) => contains(response, one, isCaseSensitive));
      if (match !== undefined) return { value: 1, reason: `the response contains ${quote(match)}` };
      if (all.length === 0) return { value: 0, reason: 'the list of texts is empty' };
      const hint = hintOf(response, all, isCaseSensitive);
      return {
        value: 0,
        reason: hintFirst(hint, `none of ${list(all.map(quote))} is in the response ${excerpt(response)}`),
      };
    },
  }),
  declareForResponse({
    name: 'contains_all',
    args: z.tuple([substrings, caseSensitive]),
    parameters: ['substrings', 'case_sensitive?'],
    doc: 'Checks whether the response contains all texts in the list. Case-insensitive unless `case_sensitive` is true.',
    searchesCharacters: inPlaceOfList,
    expected: responseWithEach,
    trivial: (wanted) => (wanted.length === 0 ? always('there is no text to search for') : emptyTexts(wanted)),
    judge: (response, wanted, cased) => containsAll(response, [...wanted], cased),
  }),
  declareForResponse({
    name: 'numeric_match',
    args: z.tuple([z.number(), z.number().optional()]),
    parameters: ['number', 'tolerance?'],
    doc: 'Checks whether the first number in the response equals the given number, within the `tolerance`.',
    expected: (wanted, tolerance = 0) => (tolerance < 0 ? null : response(String(wanted))),
    trivial: (_, tolerance = 0) => (tolerance < 0 ? never('a distance is never negative', 1) : null),
    judge(response, number, tolerance = 0) {
      const first = firstNumber(response);
      if (first === null) return { value: 0, reason: `the response ${excerpt(response)} contains no number` };
      const value = Math.abs(first - number) <= tolerance ? 1 : 0;
      const range = `${number}${tolerance === 0 ? '' : ` ± ${tolerance}`}`;
      if (value === 1) return { value, reason: `the first number in the response is ${first}, as expected: ${range}` };
      const later = numbersAfterFirst(response).some((one) => Math.abs(one - number) <= tolerance);
      const hint = later ? `; ${number} comes later, and only the first number counts` : '';
      return { value, reason: `the first number in the response is ${first}, expected ${range}${hint}` };
    },
  }),
  declareForResponse({
    name: 'f1_score',
    args: z.tuple([text]),
    parameters: ['reference'],
    doc: 'Returns the F1 score (harmonic mean of precision and recall) of the words in the response and in the text, after the same normalization as `exact_match`.',
    expected: (reference) => (isWordless(reference) ? null : response(String(reference))),
    trivial: (reference) => (isWordless(reference) ? never('there is no text to search for') : null),
    judge(response, reference) {
      const expectedText = String(reference);
      const value = f1Score(response, expectedText);
      const score = `the F1 score of the words is ${Number(value.toFixed(3))}: ${excerpt(normalize(response))} with ${excerpt(normalize(expectedText))}`;
      return { value, reason: value === 1 ? score : hintFirst(wordDifference(response, expectedText), score) };
    },
  }),
];

function isWordless(text: string | number): boolean {
  return normalize(String(text)) === '';
}

function containsAll(response: string, all: readonly string[], isCaseSensitive?: boolean): Verdict {
  const missing = all.filter((one) => !contains(response, one, isCaseSensitive));
  if (missing.length === 0) {
    return {
      value: 1,
      reason: all.length === 0 ? 'the list of texts is empty' : `the response contains ${quoteAll(all)}`,
    };
  }
  const hint = hintOf(response, missing, isCaseSensitive);
  return { value: 0, reason: hintFirst(hint, `${areAll(missing)} not in the response ${excerpt(response)}`) };
}

function hintOf(response: string, missing: readonly string[], isCaseSensitive = false): string {
  const inOtherCase = isCaseSensitive ? missing.filter((one) => contains(response, one)) : [];
  return inOtherCase.length > 0
    ? `different capitalization: ${quoteAll(inOtherCase)}`
    : differenceIn(missing, response, !isCaseSensitive);
}

/** The difference that graders which compare words see: not that of white space. */
function wordDifference(response: string, expectedText: string): string {
  return differenceOf(foldSpaces(expectedText), foldSpaces(response), true);
}

function numbersAfterFirst(text: string): readonly number[] {
  return Array.from(text.matchAll(/[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/g), ([one]) => Number(one)).slice(1);
}
