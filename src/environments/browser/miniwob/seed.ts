const MAX_SEED = 999_999;
const MASK = 0xfffff;

/**
 * The seed that BrowserGym gives a page of MiniWoB++: `numpy.random.RandomState(seed).randint(0, 1000000)`, the first of
 * the Mersenne Twister's numbers that is small enough after masking. `seed`: a whole number; taken modulo 2**32.
 */
export function pageSeed(seed: number): number {
  const twister = new Twister(seed);
  for (;;) {
    const value = twister.next() & MASK;
    if (value <= MAX_SEED) return value;
  }
}

const SIZE = 624;
const MIDDLE = 397;

/** MT19937 (Matsumoto and Nishimura, 1998), seeded by one number. */
class Twister {
  readonly #state = new Uint32Array(SIZE);
  #at = SIZE;

  constructor(seed: number) {
    this.#state[0] = seed >>> 0;
    for (let index = 1; index < SIZE; index++) {
      const last = this.#word(index - 1);
      this.#state[index] = Math.imul(1_812_433_253, last ^ (last >>> 30)) + index;
    }
  }

  next(): number {
    if (this.#at === SIZE) this.#turn();
    let value = this.#word(this.#at++);
    value ^= value >>> 11;
    value ^= (value << 7) & 0x9d2c5680;
    value ^= (value << 15) & 0xefc60000;
    return (value ^ (value >>> 18)) >>> 0;
  }

  #turn(): void {
    for (let index = 0; index < SIZE; index++) {
      const word = (this.#word(index) & 0x80000000) | (this.#word((index + 1) % SIZE) & 0x7fffffff);
      const odd = (word & 1) === 1 ? 0x9908b0df : 0;
      this.#state[index] = this.#word((index + MIDDLE) % SIZE) ^ (word >>> 1) ^ odd;
    }
    this.#at = 0;
  }

  #word(index: number): number {
    return this.#state[index] as number;
  }
}
