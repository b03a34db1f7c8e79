import type { Triviality } from './declaration.ts';

/** Patterns that match every text. */
const ANYTHING = new Set(['', '.*', '^', '$', '(?s).*', '^.*', '.*$', '^.*$', '[\\s\\S]*', '(?s)^.*$', '.*?']);
const EVERY_PAGE = new Set(['*', 'html', 'body', 'head', ':root', 'html body', 'html > body']);

/** A call that searches for these texts, if all are empty. */
export function emptyTexts(texts: string | readonly string[]): Triviality | null {
  const areEmpty = typeof texts === 'string' ? texts === '' : texts.length > 0 && texts.every((text) => text === '');
  return areEmpty ? always('every text contains an empty one') : null;
}

/** Like `emptyTexts`, for a call that ignores white space. */
export function blankTexts(texts: string | readonly string[]): Triviality | null {
  return emptyTexts(typeof texts === 'string' ? texts.trim() : texts.map((text) => text.trim()));
}

/** A call that searches for a pattern, if it matches every text. */
export function anyText(pattern: string, argument = 0): Triviality | null {
  return ANYTHING.has(pattern) ? always('the pattern matches every text', argument) : null;
}

/** Like `anyText`, for a call that compares an empty URL as it is. */
export function anyUrl(pattern: string): Triviality | null {
  return pattern === '' ? null : anyText(pattern);
}

/** A call that searches for an element, if every page has it. */
export function onEveryPage(selector: string): Triviality | null {
  return EVERY_PAGE.has(selector.trim().toLowerCase()) ? always('every page has such an element') : null;
}

export function always(reason: string, argument = 0): Triviality {
  return { succeeds: 'always', argument, reason };
}

export function never(reason: string, argument = 0): Triviality {
  return { succeeds: 'never', argument, reason };
}

/** A call that searches for texts of a list, if the list is empty. */
export function noTexts(texts: string | readonly string[]): Triviality | null {
  return texts.length === 0 ? never('there is no text to search for') : null;
}
