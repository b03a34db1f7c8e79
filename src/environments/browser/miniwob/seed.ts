const MAX_SEED = 999_999;
const MASK = 0xfffff;

/**
 * The seed that BrowserGym gives a page of MiniWoB++: `numpy.random.RandomState(seed).randint(0, 1000000)`, the first of
 * the Mersenne Twister's numbers that is small enough after masking. `seed`: a whole number; taken modulo 2**32.
 */
export function pageSeed(seed: number): number {
  const twister = twist(seed);
  for (;;) {
    const value = twister.next().value & MASK;
    if (value <= MAX_SEED) return value;
  }
}

const SIZE = 624;
const MIDDLE = 397;

/** The numbers of MT19937 (Matsumoto and Nishimura, 1998), seeded by one number. */
function* twist(seed: number): Generator<number, never> {
  const state = new Uint32Array(SIZE);
  const wordAt = (index: number): number => state[index % SIZE] as number;
  state[0] = seed >>> 0;
  for (let index = 1; index < SIZE; index++) {
    const last = wordAt(index - 1);
    state[index] = Math.imul(1_812_433_253, last ^ (last >>> 30)) + index;
  }
  for (let index = 0; ; index = (index + 1) % SIZE) {
    const word = (wordAt(index) & 0x80000000) | (wordAt(index + 1) & 0x7fffffff);
    let value = wordAt(index + MIDDLE) ^ (word >>> 1) ^ ((word & 1) === 1 ? 0x9908b0df : 0);
    state[index] = value;
    value ^= value >>> 11;
    value ^= (value << 7) & 0x9d2c5680;
    value ^= (value << 15) & 0xefc60000;
    yield (value ^ (value >>> 18)) >>> 0;
  }
}
