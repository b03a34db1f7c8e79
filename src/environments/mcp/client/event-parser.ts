/** Reads the data of server-sent events from a text that arrives in chunks. */
export class EventParser {
  readonly #told: (data: string) => void;
  /** The parts of a line: adding to a text for each chunk of a large event would copy it each time. */
  #parts: string[] = [];
  /** The last chunk ended with a CR, which may be half of a line end. */
  #afterReturn = false;
  #data: string[] = [];

  /** `told`: called with the data of each event. */
  constructor(told: (data: string) => void) {
    this.#told = told;
  }

  add(chunk: string): void {
    const text = this.#afterReturn && chunk.startsWith('\n') ? chunk.slice(1) : chunk;
    if (chunk !== '') this.#afterReturn = chunk.endsWith('\r');
    const [first = '', ...rest] = text.split(/\r\n|\n|\r/);
    this.#parts.push(first);
    for (const next of rest) {
      this.#line(this.#parts.join(''));
      this.#parts = [next];
    }
  }

  #line(line: string): void {
    if (line === '') {
      if (this.#data.length > 0) this.#told(this.#data.join('\n'));
      this.#data = [];
      return;
    }
    const value = /^data(?:: ?(.*))?$/s.exec(line);
    if (value !== null) this.#data.push(value[1] ?? '');
  }
}
