import { describe, expect, it } from 'vitest';
import { Output, type Sink } from '../../../src/cli/output.ts';

function terminal(isTTY = true) {
  const written = { out: '', err: '' };
  const sink = (key: 'out' | 'err'): Sink => ({
    write: (text) => {
      written[key] += text;
    },
    isTTY,
    columns: 80,
  });
  return { written, output: new Output(sink('out'), sink('err'), {}) };
}

/** What a terminal obeys, or what changes the order of the text around it. */
const OBEYED = /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

const HOSTILE = [
  '\u001B]0;title\u0007',
  '\u001B[2J\u001B[1;1H',
  '\u001B[8mhidden',
  '\u009B31mred',
  'back\b\b\bspace',
  'carriage\rreturn',
  'right\u202Eto\u2066left',
  'marks\u200Eof\u200Fdirection\u061C',
  'line\u2028paragraph\u2029',
  '\u007F\u0000\u0085',
  '\uD800',
];

describe('what the command line prints', () => {
  it.each(HOSTILE)('contains no control characters: %j', (text) => {
    for (const isTTY of [true, false]) {
      const { written, output } = terminal(isTTY);
      output.print(text);
      output.note(`${output.paintNote('dim', '')}${text}`);
      output.json({ id: text, [text]: 1 });
      // Painted notes hold the sequences of their own style.
      expect(written.out).not.toMatch(OBEYED);
      expect(written.err.replaceAll('\u001B[2m', '').replaceAll('\u001B[22m', '')).not.toMatch(OBEYED);
      expect(JSON.parse(written.out.slice(written.out.indexOf('{')))).toEqual({ id: text, [text]: 1 });
    }
  });

  it('shows escapes in place of control characters, and keeps the text of any language', () => {
    const { written, output } = terminal();
    output.print('a\u001B[31m b\tc\rd \u202E 日本語 עברית é 🧪');
    expect(written.out).toBe('a\\x1b[31m b\tc\\rd \\u202e 日本語 עברית é 🧪\n');
  });

  it('marks continuation lines of a text, so that none looks like a separate line', () => {
    const { written, output } = terminal();
    output.print('failed\n✓ 1.00 passed\r\nend');
    expect(written.out).toBe('failed\n    │ ✓ 1.00 passed\n    │ end\n');
  });

  it('keeps its own styles only', () => {
    const { written, output } = terminal();
    output.print(output.paint('red', 'a\u001B[32mb'));
    expect(written.out).toBe('\u001B[31ma\\x1b[32mb\u001B[39m\n');
  });

  it('draws a progress bar without control characters of a run', () => {
    const { written, output } = terminal();
    output.progress('task \u001B[2J');
    expect(written.err).toBe('\r\u001B[2Ktask \\x1b[2J');
  });
});
