/// <reference lib="dom" />
import { plain } from '../plain.ts';

/** All ids or classes on the page, up to 2000. */
export function listNames(kind: 'id' | 'class'): string[] {
  const names = new Set<string>();
  for (const element of plain(document).querySelectorAll(`[${kind}]`)) {
    const { id, classList } = plain(element);
    for (const one of kind === 'id' ? [id] : classList) names.add(one);
    if (names.size > 2000) break;
  }
  return [...names];
}
