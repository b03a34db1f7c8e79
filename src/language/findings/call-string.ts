/** The call in a text such as a reward function, up to a position in it. */
export interface WrittenCall {
  readonly name: string;
  /** Zero-based index of the argument at the position; null before the bracket. */
  readonly index: number | null;
}

/** Reads `check_page_contains('a', |`: the function, and the index of the argument. */
export function callStringAt(before: string): WrittenCall | null {
  const match = /^\s*(?:check_(?=\w))?([A-Za-z_][\w.]*)\s*(\()?/.exec(before);
  const [head, name, bracket] = match ?? [];
  if (head === undefined || name === undefined) return null;
  if (bracket === undefined) return { name, index: null };
  let depth = 0;
  let index = 0;
  let quote = '';
  for (let at = head.length; at < before.length; at += 1) {
    const character = before[at] ?? '';
    if (quote !== '') {
      if (character === '\\') at += 1;
      else if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if ('([{'.includes(character)) depth += 1;
    else if (')]}'.includes(character)) {
      if (depth === 0) return { name, index: null };
      depth -= 1;
    } else if (character === ',' && depth === 0) index += 1;
  }
  return { name, index };
}
