import { randomUUID } from 'node:crypto';
import { styleText } from 'node:util';
import { escapeControls, escapeJsonControls } from '../base/terminal-text.ts';

type Style = Parameters<typeof styleText>[0];

/** A stream of text. */
export interface Sink {
  write(text: string): void;
  readonly isTTY: boolean;
  readonly columns: number;
}

const ESCAPE = '\u001B';
const CLEAR_LINE = `\r${ESCAPE}[2K`;

/** Prefix of continuation lines, so that no text can imitate a line of Taskwright. */
const CONTINUATION = '\n    │ ';

/**
 * The only place that writes to the terminal. Results go to standard output, progress and notes to standard error; with
 * `--json`, standard output contains exactly one JSON value. Control characters are escaped; only `paint` and `paintNote`
 * style text.
 */
export class Output {
  readonly #stdout: Sink;
  readonly #stderr: Sink;
  readonly #colours: boolean;
  /** Represents the escape character in painted text. It is random, so no printed text contains it. */
  readonly #mark = randomUUID();
  #bar = '';

  constructor(stdout: Sink, stderr: Sink, environment: Readonly<Record<string, string | undefined>>) {
    this.#stdout = stdout;
    this.#stderr = stderr;
    // https://no-color.org: any value but the empty one.
    this.#colours = (environment['NO_COLOR'] ?? '') === '' && environment['TERM'] !== 'dumb';
  }

  /** Prints a result. */
  print(text: string): void {
    this.printLines([text]);
  }

  /** Prints results at once, which takes a fraction of the time for thousands. */
  printLines(texts: readonly string[]): void {
    const lines = texts.map((text) => `${this.#printable(text)}\n`).join('');
    this.#withoutBar(() => this.#stdout.write(lines));
  }

  /** Prints the value of `--json`. */
  json(value: unknown): void {
    this.text(`${JSON.stringify(value, null, 2)}\n`);
  }

  /** Prints a text in which control characters other than line breaks are part of JSON. */
  text(text: string): void {
    this.#withoutBar(() => this.#stdout.write(escapeJsonControls(text)));
  }

  /** Prints a note to standard error. */
  note(text: string): void {
    this.#withoutBar(() => this.#stderr.write(`${this.#printable(text)}\n`));
  }

  /** Progress is drawn in place. Otherwise it is printed as lines. */
  get drawsProgress(): boolean {
    return this.#stderr.isTTY;
  }

  /** Redraws the progress line. An empty line removes it. */
  progress(line: string): void {
    if (!this.#stderr.isTTY) return;
    const width = Math.max(10, this.#stderr.columns - 1);
    const printableText = escapeControls(line);
    this.#bar = printableText.length > width ? `${printableText.slice(0, width - 1)}…` : printableText;
    this.#stderr.write(CLEAR_LINE + this.#bar);
  }

  /** Styles text of a result. */
  readonly paint = (style: Style, text: string): string =>
    this.#colours && this.#stdout.isTTY ? this.#applyStyle(style, text) : text;

  /** Styles text of a note. */
  readonly paintNote = (style: Style, text: string): string =>
    this.#colours && this.#stderr.isTTY ? this.#applyStyle(style, text) : text;

  #applyStyle(style: Style, text: string): string {
    const [begin = '', end = ''] = styleText(style, '|', { validateStream: false })
      .replaceAll(ESCAPE, this.#mark)
      .split('|');
    return `${begin}${text}${end}`;
  }

  #printable(text: string): string {
    return text.split(/\r?\n/).map(escapeControls).join(CONTINUATION).replaceAll(this.#mark, ESCAPE);
  }

  #withoutBar(write: () => void): void {
    if (this.#bar === '') {
      write();
      return;
    }
    this.#stderr.write(CLEAR_LINE);
    write();
    this.#stderr.write(this.#bar);
  }
}

/** A bar of `width` characters: `[####······]`. */
export function bar(done: number, of: number, width = 20): string {
  const full = of === 0 ? width : Math.floor((done / of) * width);
  return `[${'█'.repeat(full)}${'·'.repeat(width - full)}]`;
}
