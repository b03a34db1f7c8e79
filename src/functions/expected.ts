import type { Expectation } from './declaration.ts';
import { literalMatch } from './pattern.ts';

/** The expectation of this response, or one like it. */
export function response(text: string): Expectation {
  return { kind: 'response', text, answers: [] };
}

/** The expectation of a response with this text, or all texts of a list. */
export function responseWith(texts: string | readonly string[]): Expectation {
  const answers = typeof texts === 'string' ? [texts] : texts;
  return { kind: 'response', text: answers.join(' '), answers };
}

/** Like `responseWith`; a text in place of a list stands for its characters. */
export function responseWithEach(texts: string | readonly string[]): Expectation {
  if (typeof texts !== 'string') return responseWith(texts);
  // Apart from each other, because the lower case of a letter can depend on the ones beside it.
  return { kind: 'response', text: [...texts].join(' '), answers: [texts] };
}

/** The expectation of a response that a pattern matches; null if the pattern is not a simple one. */
export function responseMatching(pattern: string): Expectation | null {
  const text = literalMatch(pattern);
  return text === null ? null : response(text);
}
