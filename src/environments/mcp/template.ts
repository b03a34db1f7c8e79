import { isList, isObject, type Json } from '../../base/json.ts';

/** Python's `string.Template`: a variable, an escaped dollar sign, or a dollar sign that is neither. */
const PLACEHOLDER = /\$(?:(\$)|([_a-z][_a-z0-9]*)|\{([_a-z][_a-z0-9]*)\}|)/gi;

/** The names of the variables in the texts of a value. */
export function variablesIn(value: Json): readonly string[] {
  if (typeof value === 'string') {
    return [...value.matchAll(PLACEHOLDER)].flatMap(([, , bare, braced]) => bare ?? braced ?? []);
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(variablesIn);
}

/** A text that HUD rejects: a dollar sign that does not belong to a placeholder. */
export class PlaceholderError extends Error {}

/**
 * Puts the values of variables into all texts of a value, but not into keys, as HUD 0.4 does with `mcp_config`. A variable
 * without a value becomes an empty text. Throws `PlaceholderError`.
 */
export function substitute(value: Json, variables: Readonly<Record<string, string | undefined>>): Json {
  if (typeof value === 'string') return substituteText(value, variables);
  if (isList(value)) return value.map((item) => substitute(item, variables));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, substitute(item, variables)]));
}

function substituteText(text: string, variables: Readonly<Record<string, string | undefined>>): string {
  return text.replace(PLACEHOLDER, (match, dollar?: string, bare?: string, bracedName?: string) => {
    if (dollar !== undefined) return '$';
    const name = bare ?? bracedName;
    if (name === undefined) {
      throw new PlaceholderError(`“${text}” has a “${match}” that is no variable: write a dollar sign as $$`);
    }
    return (Object.hasOwn(variables, name) ? variables[name] : undefined) ?? '';
  });
}
