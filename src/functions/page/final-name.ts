/** The id or class at the end of a selector. */
export function finalName(selector: string): { readonly kind: 'id' | 'class'; readonly name: string } | null {
  const [, sign, name] = /([#.])([\w-]+)\s*$/.exec(selector) ?? [];
  return name === undefined ? null : { kind: sign === '#' ? 'id' : 'class', name };
}
