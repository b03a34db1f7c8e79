/// <reference lib="dom" />

/** The id or class that a selector ends in. */
export function nameSought(selector: string): { readonly kind: 'id' | 'class'; readonly name: string } | null {
  const [, sign, name] = /([#.])([\w-]+)\s*$/.exec(selector) ?? [];
  return name === undefined ? null : { kind: sign === '#' ? 'id' : 'class', name };
}

/** All ids or classes on the page, up to 2000. Runs in the page and stands alone. */
export function namesOnPage(kind: 'id' | 'class'): string[] {
  const found = new Set<string>();
  for (const element of document.querySelectorAll(`[${kind}]`)) {
    for (const one of kind === 'id' ? [element.id] : element.classList) found.add(one);
    if (found.size > 2000) break;
  }
  return [...found];
}
