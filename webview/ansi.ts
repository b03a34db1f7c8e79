import { type Child, el } from './dom.ts';

/** The colors of a terminal, in the order of their codes. */
const COLORS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;

/** Control sequences: those of the form CSI with their parameters and final letter, and OSC. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal output contains them
const SEQUENCE = /\x1b(?:\[([0-9;:?]*)[ -/]*([@-~])|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])/g;

/** Terminal output with its colors and bold text. Other control sequences are left out. */
export function terminalText(output: string): readonly Child[] {
  const parts: Child[] = [];
  let color: string | null = null;
  let isBold = false;
  let end = 0;
  const add = (text: string): void => {
    if (text === '') return;
    const names = [color, isBold && 'ansi-bold'].filter((name) => name !== null && name !== false);
    parts.push(names.length === 0 ? text : el('span', { class: names.join(' ') }, text));
  };
  for (const match of output.matchAll(SEQUENCE)) {
    const [sequence, parameters = '', letter] = match;
    add(output.slice(end, match.index));
    end = match.index + sequence.length;
    if (letter !== 'm') continue;
    const codes = parameters.split(';').map(Number);
    // A color by its number, or red, green, and blue, which themes do not know.
    if (codes.includes(38) || codes.includes(48)) continue;
    for (const code of codes) {
      if (code === 0) {
        color = null;
        isBold = false;
      } else if (code === 1) isBold = true;
      else if (code === 22) isBold = false;
      else if (code === 39) color = null;
      else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) color = `ansi-${COLORS[code % 10]}`;
    }
  }
  add(output.slice(end));
  return parts;
}
