/** Controls, separators of lines and paragraphs, lone surrogates, and what changes the direction of the text around it. */
const UNSAFE = /(?!\t)[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061C\u202A-\u202E\u2066-\u2069]/gu;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\b': '\\b' };

/**
 * The text with everything that a terminal obeys as a visible escape, such as `\x1b` or `\u202e`. Task files, agents, pages
 * and commands decide what such texts hold.
 */
export function escapeControls(text: string): string {
  return text.replace(UNSAFE, (character) => {
    const code = character.charCodeAt(0);
    return SHORT[character] ?? (code <= 0xff ? `\\x${hex(code, 2)}` : `\\u${hex(code, 4)}`);
  });
}

/** As `escapeControls`, but line feeds stay. */
export function escapeLines(text: string): string {
  return text.split(/\r?\n/).map(escapeControls).join('\n');
}

/** JSON with the same characters as its own escapes; line feeds between its values stay. */
export function escapeJsonControls(json: string): string {
  return json.replace(UNSAFE, (character) =>
    character === '\n' ? character : `\\u${hex(character.charCodeAt(0), 4)}`,
  );
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}
