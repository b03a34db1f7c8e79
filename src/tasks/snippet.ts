import type { Json } from '../base/json.ts';

/** Private-use characters that mark placeholders while a format writes a template. */
const OPEN = '\uE000';
const OPEN_BARE = '\uE001';
const CLOSE = '\uE002';

const HOLE = /(["']?)\uE001([^\uE002]*)\uE002\1|\uE000([^\uE002]*)\uE002/g;

/** A placeholder for a text, which the format quotes. */
export function placeholder(suggestion = ''): string {
  return `${OPEN}${suggestion}${CLOSE}`;
}

/** A placeholder for another value, such as a number. */
export function unquotedPlaceholder(suggestion = ''): string {
  return `${OPEN_BARE}${suggestion}${CLOSE}`;
}

/** An example whose texts and numbers become placeholders. */
export function withPlaceholders(example: Json): Json {
  if (typeof example === 'string') return placeholder(example);
  if (typeof example === 'number') return unquotedPlaceholder(String(example));
  if (Array.isArray(example)) return example.map(withPlaceholders);
  if (typeof example !== 'object' || example === null) return example;
  return Object.fromEntries(Object.entries(example).map(([key, value]) => [key, withPlaceholders(value)]));
}

export function hasPlaceholders(text: string): boolean {
  return text.includes(CLOSE);
}

/** Converts placeholders to snippet syntax: `"goto", "${1:url}"`. */
export function asSnippet(text: string): string {
  let count = 0;
  let from = 0;
  let snippet = '';
  for (const match of text.matchAll(HOLE)) {
    count += 1;
    const suggestion = match[2] ?? match[3] ?? '';
    snippet += plain(text.slice(from, match.index));
    snippet += suggestion === '' ? `$${count}` : `\${${count}:${suggestion.replace(/[\\$}]/g, '\\$&')}}`;
    from = match.index + match[0].length;
  }
  return snippet + plain(text.slice(from));
}

/** Replaces placeholders with their default text, for display. */
export function asText(text: string): string {
  return text.replace(
    HOLE,
    (_, __, bare: string | undefined, suggested: string | undefined) => bare ?? suggested ?? '',
  );
}

function plain(text: string): string {
  return text.replace(/[\\$]/g, '\\$&');
}
