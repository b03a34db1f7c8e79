import type { Literal } from './literals.ts';

/** Formats a value as Python's `repr` does, for use in an action string. */
export function pythonRepr(value: Literal): string {
  if (value === null) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return pythonString(value);
  if (Array.isArray(value)) return `[${value.map(pythonRepr).join(', ')}]`;
  const entries = Object.entries(value).map(([key, entry]) => `${pythonString(key)}: ${pythonRepr(entry)}`);
  return `{${entries.join(', ')}}`;
}

/** Single quotes, unless the text contains those and no double quotes; escapes unprintable characters. */
export function pythonString(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const body = text.replace(ESCAPED, (char) => {
    if (char === "'" || char === '"') return char === quote ? `\\${char}` : char;
    const hex = (char.codePointAt(0) ?? 0).toString(16);
    if (hex.length > 4) return `\\U${hex.padStart(8, '0')}`;
    return SHORT[char] ?? (hex.length > 2 ? `\\u${hex.padStart(4, '0')}` : `\\x${hex.padStart(2, '0')}`);
  });
  return quote + body + quote;
}

const SHORT: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Quotes, backslashes, and characters that Python cannot print: control, format, private, unassigned, white space. */
const ESCAPED = /[\\'"\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;
