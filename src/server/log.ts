import type { Readable } from 'node:stream';

/** Maximum length of a line, in characters. Longer lines are truncated. */
const MAX_LINE = 8_000;

/** Calls `line` for each line of a text stream. Resolves at the end of the stream. */
export function readLines(stream: Readable, line: (text: string) => void): Promise<void> {
  let partial = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const lines = (partial + chunk).split(/\r?\n/);
    partial = lines.pop() ?? '';
    if (partial.length > MAX_LINE) {
      lines.push(partial);
      partial = '';
    }
    for (const text of lines) line(text.length > MAX_LINE ? `${text.slice(0, MAX_LINE)} …` : text);
  });
  return new Promise((resolve) => {
    stream.once('close', () => {
      if (partial !== '') line(partial);
      partial = '';
      resolve();
    });
  });
}
