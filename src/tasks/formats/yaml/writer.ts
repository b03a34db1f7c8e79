import { escapeForJson, type Json } from '../../../base/json.ts';
import { digitsOf, isNumber, type RawNumber } from '../../../base/raw-number.ts';
import type { Writer } from '../../writer.ts';

/** YAML in flow style: texts are plain if every YAML reader takes them for texts, else quoted. */
export const yamlWriter: Writer = {
  value: (value) => flowValue(value, { quote: '"', plain: true, brace: ' ' }),
  member: (key) => `${scalarText(key, { quote: '"', plain: true })}: `,
};

/** How texts in a file are quoted. */
export interface Quoting {
  readonly quote: '"' | "'";
  /** Whether texts that need no quotes are plain. */
  readonly plain: boolean;
}

/** A value on one line. */
export function flowValue(value: Json, style: Quoting & { readonly brace: string }): string {
  if (typeof value === 'string') return scalarText(value, style);
  if (isNumber(value)) return numberText(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item: Json) => flowValue(item, style)).join(', ')}]`;
  const members = Object.entries(value).map(
    ([key, item]) => `${scalarText(key, style)}: ${flowValue(item as Json, style)}`,
  );
  return members.length === 0 ? '{}' : `{${style.brace}${members.join(', ')}${style.brace}}`;
}

/** A text or a key on one line. */
export function scalarText(text: string, { quote, plain }: Quoting): string {
  if (plain && isPlain(text)) return text;
  return quote === "'" && /^[\x20-\x7e\u00a0-\u2027\u202a-\ud7ff\u{10000}-\u{1ffff}]*$/u.test(text)
    ? `'${text.replaceAll("'", "''")}'`
    : JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g, escapeForJson);
}

/** YAML 1.1 (PyYAML) takes a number with an exponent but no decimal point for a text. */
function numberText(value: number | RawNumber): string {
  return digitsOf(value).replace(/^(-?\d+)(?=e)/i, '$1.0');
}

/** Texts that YAML 1.1 or 1.2 reads as another type. */
const NO_TEXT = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** Whether a plain scalar reads as this exact text everywhere, in YAML 1.1 and 1.2, in block and in flow style. */
export function isPlain(text: string): boolean {
  return (
    (/^[A-Za-z_/][\w./@%+=()'!?;$-]*(?: [\w./@%+=()'!?;$-]+)*$/.test(text) ||
      /^https?:\/\/[\w./@%+=?~-]*[\w/=-]$/.test(text)) &&
    !NO_TEXT.test(text) &&
    text.length <= 1000
  );
}
