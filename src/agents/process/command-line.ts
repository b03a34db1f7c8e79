/**
 * Splits a command as a shell splits words: blanks between words, `'…'` literal, `"…"` with backslash before `"` and
 * backslash, a backslash outside quotes takes the next character literally. Nothing is expanded. Null: a quote is open.
 * Windows: a backslash is part of a path, so it takes nothing literally.
 */
export function splitWords(command: string, platform: NodeJS.Platform = process.platform): string[] | null {
  const words: string[] = [];
  const escapes = platform !== 'win32';
  let word: string | null = null;
  let quote: '"' | "'" | null = null;
  for (let i = 0; i < command.length; i += 1) {
    const character = command.charAt(i);
    const next = command.charAt(i + 1);
    if (quote !== null) {
      if (character === quote) quote = null;
      else if (quote === '"' && escapes && character === '\\' && (next === '"' || next === '\\')) {
        word += next;
        i += 1;
      } else word += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= '';
    } else if (escapes && character === '\\' && next !== '') {
      word = (word ?? '') + next;
      i += 1;
    } else if (/\s/.test(character)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? '') + character;
  }
  if (quote !== null) return null;
  if (word !== null) words.push(word);
  return words;
}
