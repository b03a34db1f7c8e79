/// <reference lib="dom" />
import { plain } from '../plain.ts';

/** All ids or classes on the page, up to 2000. */
export function namesOnPage(kind: 'id' | 'class'): string[] {
  const found = new Set<string>();
  for (const element of plain(document).querySelectorAll(`[${kind}]`)) {
    const { id, classList } = plain(element);
    for (const one of kind === 'id' ? [id] : classList) found.add(one);
    if (found.size > 2000) break;
  }
  return [...found];
}
