import { stripVTControlCharacters } from 'node:util';

/** The output of a command. Only the beginning and the end are kept, to limit memory use. */
export class BoundedOutput {
  readonly #headRoom: number;
  readonly #tailRoom: number;
  readonly #head: Buffer[] = [];
  #tail: Buffer[] = [];
  #headSize = 0;
  #tailSize = 0;
  #leftOut = 0;

  /** `keep`: the number of bytes to keep, half of them from the beginning. */
  constructor(keep: number) {
    this.#headRoom = Math.ceil(keep / 2);
    this.#tailRoom = Math.floor(keep / 2);
  }

  /** Whether the middle is left out. */
  get truncated(): boolean {
    return this.#leftOut > 0;
  }

  add(chunk: Buffer): void {
    const fits = chunk.subarray(0, this.#headRoom - this.#headSize);
    if (fits.length > 0) {
      this.#head.push(Buffer.from(fits));
      this.#headSize += fits.length;
    }
    const rest = chunk.subarray(fits.length);
    if (rest.length === 0) return;
    this.#tail.push(Buffer.from(rest));
    this.#tailSize += rest.length;
    if (this.#tailSize > 2 * this.#tailRoom) this.#cut();
  }

  /** The kept output without terminal color codes. */
  get text(): string {
    this.#cut();
    const head = Buffer.concat(this.#head);
    const tail = Buffer.concat(this.#tail);
    if (!this.truncated) return plain(Buffer.concat([head, tail]).toString('utf8'));
    const [begin, end] = [head.toString('utf8'), tail.toString('utf8')].map(plain);
    // The cut may split a character.
    const gap = `\n[… ${this.#leftOut.toLocaleString('en')} bytes left out …]\n`;
    return `${begin?.replace(/\uFFFD$/, '')}${gap}${end?.replace(/^\uFFFD{1,3}/, '')}`;
  }

  #cut(): void {
    if (this.#tailSize <= this.#tailRoom) return;
    const all = Buffer.concat(this.#tail);
    this.#leftOut += all.length - this.#tailRoom;
    this.#tail = [all.subarray(all.length - this.#tailRoom)];
    this.#tailSize = this.#tailRoom;
  }
}

function plain(text: string): string {
  return stripVTControlCharacters(text).replaceAll('\r\n', '\n');
}
