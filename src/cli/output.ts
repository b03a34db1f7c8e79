import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Where a stream of text goes. */
export interface Sink {
  write(text: string): void;
  readonly isTTY: boolean;
  readonly columns: number;
}

const CLEAR_LINE = '\r\u001B[2K';

/**
 * What a command says. Results go to standard output, progress and everything else to standard error; with `--json`
 * standard output holds exactly one JSON value.
 */
export class Output {
  readonly #out: Sink;
  readonly #err: Sink;
  readonly #colours: boolean;
  #bar = '';

  constructor(out: Sink, err: Sink, environment: Readonly<Record<string, string | undefined>>) {
    this.#out = out;
    this.#err = err;
    // https://no-color.org: any value but the empty one.
    this.#colours = (environment['NO_COLOR'] ?? '') === '' && environment['TERM'] !== 'dumb';
  }

  /** A result for people. */
  print(line: string): void {
    this.#withoutBar(() => this.#out.write(`${line}\n`));
  }

  /** The one value of `--json`. */
  json(value: unknown): void {
    this.#withoutBar(() => this.#out.write(`${JSON.stringify(value, null, 2)}\n`));
  }

  /** Something to know that is no result. */
  note(line: string): void {
    this.#withoutBar(() => this.#err.write(`${line}\n`));
  }

  /** True where progress is drawn in place; elsewhere it is said in lines. */
  get drawsProgress(): boolean {
    return this.#err.isTTY;
  }

  /** Draws the bar's line anew; an empty one removes it. */
  progress(line: string): void {
    if (!this.#err.isTTY) return;
    const width = Math.max(10, this.#err.columns - 1);
    this.#bar = line.length > width ? `${line.slice(0, width - 1)}…` : line;
    this.#err.write(CLEAR_LINE + this.#bar);
  }

  /** Paints text that is printed as a result. */
  paint(style: Style, text: string): string {
    return this.#colours && this.#out.isTTY ? styleText(style, text, { validateStream: false }) : text;
  }

  /** Paints text that is a note. */
  paintNote(style: Style, text: string): string {
    return this.#colours && this.#err.isTTY ? styleText(style, text, { validateStream: false }) : text;
  }

  #withoutBar(write: () => void): void {
    if (this.#bar === '') {
      write();
      return;
    }
    this.#err.write(CLEAR_LINE);
    write();
    this.#err.write(this.#bar);
  }
}

/** A bar of `width` characters: `[####······]`. */
export function bar(done: number, of: number, width = 20): string {
  const full = of === 0 ? width : Math.floor((done / of) * width);
  return `[${'█'.repeat(full)}${'·'.repeat(width - full)}]`;
}
