/** `“Order placed”`: quotes a text in a reason, on one line, truncated if long. */
export function excerpt(text: string, limit = 80): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line === '') return text === '' ? '“” (empty)' : '“ ” (white space)';
  return `“${[...line].length > limit ? `${[...line].slice(0, limit - 1).join('')}…` : line}”`;
}

/** `“Order placed”`: quotes an expected text, truncated only if very long. */
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

/** The first items of a list: `a, b and 3 more` */
export function listSome(items: readonly string[], most: number): string {
  return items.length <= most ? list(items) : `${items.slice(0, most).join(', ')} and ${items.length - most} more`;
}

/**
 * `different capitalization: “cart”; “Cart” is not in the URL`. The hint comes first, because it tells failed calls apart, and
 * lists show only the beginning of a reason.
 */
export function hintFirst(hint: string, failure: string): string {
  return hint === '' ? failure : `${hint}; ${failure}`;
}

/** The hint of the first item that has one; otherwise empty. */
export function firstHint<Item>(items: readonly Item[], hintOf: (item: Item) => string): string {
  for (const item of items) {
    const hint = hintOf(item);
    if (hint !== '') return hint;
  }
  return '';
}

/** `different capitalization: “cart”` if the text occurs only so; otherwise empty. */
export function otherCase(part: string, text: string): string {
  const at = text.toLowerCase().indexOf(part.toLowerCase());
  // The lowercase text may be longer, and then the positions differ.
  if (at < 0 || text.toLowerCase().length !== text.length) return '';
  return `different capitalization: ${quote(text.slice(at, at + part.length))}`;
}
