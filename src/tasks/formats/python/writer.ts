import type { Json } from '../../../base/json.ts';
import { digitsOf, isNumber } from '../../../base/raw-number.ts';
import { isTuple } from '../../tuple.ts';
import type { Writer } from '../../writer.ts';

/** Python literals: double quotes, True, False, None. Tuples stay tuples. */
export const pythonWriter: Writer = {
  value: writePython,
  member: (key, inCall) => (inCall && isArgumentName(key) ? `${key}=` : `${writeText(key)}: `),
};

/** Whether a word is reserved. */
export function isKeyword(word: string): boolean {
  return KEYWORDS.has(word);
}

/** Whether a key can be written as a keyword argument. */
export function isArgumentName(key: string): boolean {
  return /^[A-Za-z_]\w*$/.test(key) && !isKeyword(key);
}

export function writePython(value: Json): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return writeText(value);
  if (isNumber(value)) return digitsOf(value);
  if (isTuple(value)) return writeTuple(value as readonly Json[]);
  if (Array.isArray(value)) return `[${value.map(writePython).join(', ')}]`;
  return `{${Object.entries(value)
    .map(([key, item]) => `${writeText(key)}: ${writePython(item)}`)
    .join(', ')}}`;
}

export function writeTuple(items: readonly Json[]): string {
  return `(${items.map(writePython).join(', ')}${items.length === 1 ? ',' : ''})`;
}

/** JSON escapes mean the same in Python, and Python strings allow all other characters. */
function writeText(text: string): string {
  return JSON.stringify(text);
}

const KEYWORDS = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
);
