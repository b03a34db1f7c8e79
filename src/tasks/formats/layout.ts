const LINE_END = /\r\n|\n|\r/;

/** The first line end of a text. */
export function lineEndOf(text: string): string {
  return LINE_END.exec(text)?.[0] ?? '\n';
}

/** The indentation of the line that contains an offset. */
export function lineIndent(text: string, offset: number): string {
  let start = offset;
  while (start > 0 && text[start - 1] !== '\n' && text[start - 1] !== '\r') start -= 1;
  let end = start;
  while (end < offset && (text[end] === ' ' || text[end] === '\t')) end += 1;
  return text.slice(start, end);
}

/** Whether only white space is between an offset and the line end before it. */
export function isFirstOnLine(text: string, offset: number): boolean {
  const before = offset - lineIndent(text, offset).length;
  return before > 0 && LINE_END.test(text[before - 1] ?? '');
}

/** The offset before the line end (`\n` or `\r\n`) after an offset. */
export function endOfLine(text: string, offset: number): number {
  const newline = text.indexOf('\n', offset);
  if (newline === -1) return text.length;
  return newline > offset && text[newline - 1] === '\r' ? newline - 1 : newline;
}

/** The offset after the next `\n`. */
export function nextLine(text: string, offset: number): number {
  const newline = text.indexOf('\n', offset);
  return newline === -1 ? text.length : newline + 1;
}
