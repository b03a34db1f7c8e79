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
  const body = text.replace(UNSEEN, (char) => {
    switch (char) {
      case '\\':
        return '\\\\';
      case '\n':
        return '\\n';
      case '\r':
        return '\\r';
      case '\t':
        return '\\t';
      case "'":
      case '"':
        return char === quote ? `\\${char}` : char;
      default: {
        const code = char.codePointAt(0) ?? 0;
        if (code > 0xffff) return `\\U${code.toString(16).padStart(8, '0')}`;
        return code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
      }
    }
  });
  return quote + body + quote;
}

/**
 * Characters that Python treats as unprintable: control, format, private, and unassigned characters, special white
 * space, lone surrogates.
 */
const UNSEEN = /[\\'"\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;
