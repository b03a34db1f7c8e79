/** `“Order placed”`: a text as reasons quote it, cut when long, on one line. */
export function excerpt(text: string, limit = 80): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line === '') return text === '' ? '“” (empty)' : '“ ” (white space)';
  return `“${[...line].length > limit ? `${[...line].slice(0, limit - 1).join('')}…` : line}”`;
}

/** `“Order placed”`: what a task asks for, whole unless it is very long. */
export function quote(text: string): string {
  return excerpt(text, 200);
}

/** `“a”, “b” and “c”` */
export function quoteAll(all: readonly string[]): string {
  return list(all.map(quote));
}

/** `“a” is`, `“a” and “b” are` */
export function areAll(all: readonly string[]): string {
  return `${quoteAll(all)} ${all.length > 1 ? 'are' : 'is'}`;
}

/** `a, b and c` */
export function list(items: readonly string[], last = 'and'): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} ${last} ${items.at(-1)}`;
}

/**
 * `in another case: “cart”; “Cart” is not in the address`. The hint comes first, because it tells failed calls apart, and
 * lists show only the beginning of a reason.
 */
export function hintFirst(hint: string, failure: string): string {
  return hint === '' ? failure : `${hint}; ${failure}`;
}

/** `in another case: “cart”`, where the text is found but for upper and lower case; else nothing. */
export function otherCase(wanted: string, text: string): string {
  const at = text.toLowerCase().indexOf(wanted.toLowerCase());
  // Lower case may be longer; then places in the two do not agree.
  if (at < 0 || text.toLowerCase().length !== text.length) return '';
  return `in another case: ${quote(text.slice(at, at + wanted.length))}`;
}
