const ESCAPE = /\\(\n|[0-7]{1,3}|x[0-9a-fA-F]{0,2}|u[0-9a-fA-F]{0,4}|U[0-9a-fA-F]{0,8}|[\s\S])/g;
const DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
const SIMPLE: Readonly<Record<string, string>> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/**
 * Replaces the escape sequences in the content of a Python string. An unknown one keeps its backslash, as in Python.
 * @param onInvalid gets each that Python rejects, or that names a character: `\x4`, `\N`
 */
export function unescapePython(text: string, onInvalid: (sequence: string) => void): string {
  return text.replace(ESCAPE, (sequence, body: string) => {
    const simple = SIMPLE[body];
    if (simple !== undefined) return simple;
    if (/^[0-7]/.test(body)) return String.fromCharCode(Number.parseInt(body, 8));
    const [kind = ''] = body;
    const digits = DIGITS[kind];
    if (digits === body.length - 1) {
      const code = Number.parseInt(body.slice(1), 16);
      if (code <= 0x10ffff) return String.fromCodePoint(code);
    }
    if (digits !== undefined || kind === 'N') onInvalid(sequence);
    return sequence;
  });
}
