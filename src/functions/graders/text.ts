import { asciiDigits } from '../../python/digits.ts';

/** A letter, digit, or `_`, as in Python's `\w`, which excludes combining marks. */
const WORD = '[\\p{L}\\p{N}_]';
/** White space, as in Python's `\s` and `str.split`. */
const SPACE = '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';

const PUNCTUATION = new RegExp(`[^\\p{L}\\p{N}_${SPACE}]`, 'gu');
const ARTICLES = new RegExp(`(?<!${WORD})(?:an?|the)(?!${WORD})`, 'gu');
const SPACES = new RegExp(`[${SPACE}]+`, 'gu');
const ENDS = new RegExp(`^[${SPACE}]+|[${SPACE}]+$`, 'gu');
const NUMBER = /[+-]?(?:\p{Nd}+(?:\.\p{Nd}*)?|\.\p{Nd}+)(?:[eE][+-]?\p{Nd}+)?/u;

/** The text without surrounding white space, as Python's `str.strip`. */
export function strip(text: string): string {
  return text.replace(ENDS, '');
}

/** The text with single spaces between words. */
export function foldSpaces(text: string): string {
  return strip(text.replace(SPACES, ' '));
}

/**
 * The text in lower case, without punctuation and articles, with single spaces between words: `normalize` of
 * `hud.graders` (hud 0.6.21).
 */
export function normalize(text: string): string {
  return foldSpaces(text.toLowerCase().replace(PUNCTUATION, ' ').replace(ARTICLES, ' '));
}

/** Whether both are equal after `normalize`; without it, ignoring case and surrounding white space. */
export function exactMatch(answer: string, expected: string, normalizeText = true): boolean {
  if (normalizeText) return normalize(answer) === normalize(expected);
  return strip(answer).toLowerCase() === strip(expected).toLowerCase();
}

export function contains(answer: string, substring: string, caseSensitive = false): boolean {
  return caseSensitive ? answer.includes(substring) : answer.toLowerCase().includes(substring.toLowerCase());
}

/** The first number in a text, with sign, fraction, and exponent; null if there is none. */
export function firstNumber(text: string): number | null {
  const digits = NUMBER.exec(text)?.[0];
  return digits === undefined ? null : Number(asciiDigits(digits));
}

/** The harmonic mean of precision and recall of the words, with their multiplicity: from 0 to 1. */
export function f1Score(answer: string, reference: string): number {
  const answerWords = words(answer);
  const referenceWords = words(reference);
  const left = new Map<string, number>();
  for (const word of referenceWords) left.set(word, (left.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of answerWords) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    left.set(word, count - 1);
    common += 1;
  }
  if (common === 0) return 0;
  const precision = common / answerWords.length;
  const recall = common / referenceWords.length;
  return (2 * precision * recall) / (precision + recall);
}

function words(text: string): readonly string[] {
  const normal = normalize(text);
  return normal === '' ? [] : normal.split(' ');
}
