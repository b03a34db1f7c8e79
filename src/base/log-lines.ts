const MAX_LINES = 500;
/** How many lines of a log an error message includes. */
export const LAST_LINES = 20;

/** The last lines of the log of a program. */
export class LogLines {
  readonly #lines: string[] = [];
  #first = 0;

  /** The stored lines, oldest first. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  /** The number of the first stored line among all lines that were ever added. */
  get first(): number {
    return this.#first;
  }

  /** The lines that an error message includes. */
  get last(): readonly string[] {
    return this.#lines.slice(-LAST_LINES);
  }

  add(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length <= MAX_LINES) return;
    this.#lines.shift();
    this.#first += 1;
  }

  clear(): void {
    this.#first += this.#lines.length;
    this.#lines.length = 0;
  }

  /** The end of an error message, with the last lines after `separator`. Empty without lines. */
  lastOutput(separator = ' '): string {
    return this.#lines.length === 0 ? '' : `${separator}Last output:\n${this.last.join('\n')}`;
  }
}

/** The lines of the output of a program that an error message includes. */
export function lastLines(output: string): string {
  return output.trim().split('\n').slice(-LAST_LINES).join('\n');
}
