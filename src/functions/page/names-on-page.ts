/// <reference lib="dom" />
import type { Plain } from './plain.ts';

/** The id or class that a selector ends in. */
export function nameSought(selector: string): { readonly kind: 'id' | 'class'; readonly name: string } | null {
  const [, sign, name] = /([#.])([\w-]+)\s*$/.exec(selector) ?? [];
  return name === undefined ? null : { kind: sign === '#' ? 'id' : 'class', name };
}

/** All ids or classes on the page, up to 2000. Runs in the page and stands alone. */
export function namesOnPage(kind: 'id' | 'class', plain: Plain): string[] {
  const found = new Set<string>();
  for (const element of plain(document).querySelectorAll(`[${kind}]`)) {
    const { id, classList } = plain(element);
    for (const one of kind === 'id' ? [id] : classList) found.add(one);
    if (found.size > 2000) break;
  }
  return [...found];
}
