import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from './connection.ts';
import { keysymOf, keysymsOfKeys, keysymsOfText, UnknownKey } from './keysyms.ts';
import type { Ping } from './ping.ts';
import type { Screen } from './screen.ts';

/** How long programs need to receive the new mapping of a key before it is pressed, in ms. */
const MAPPING_DELAY = 15;
/**
 * How long to wait for the first change of the screen, for no further changes, and at most, in ms, before a pressed key is
 * remapped. Before its character is on the screen, a slow program would look up the new mapping.
 */
const PRESS_DRAWN = { first: 80, quiet: 15, most: 300 };
/** How many spare keys are mapped at a time. More confuse programs. */
const MAX_SPARE = 19;
/** The maximum factor by which waits are longer on a busy machine. */
const MAX_SLOWNESS = 16;
/** How many characters are typed before waiting until they are processed. */
const BATCH_SIZE = 50;

/** A key, and whether it needs Shift. */
interface Key {
  readonly code: number;
  readonly shift: boolean;
}

/** The keyboard of a desktop. Characters outside of its layout are mapped to spare keys. */
export class Keyboard {
  readonly #connection: Connection;
  readonly #screen: Screen;
  readonly #ping: Ping;
  /** The keys of the layout by keysym. */
  readonly #layout: ReadonlyMap<number, Key>;
  /** Unmapped keys, the least recently used first. */
  readonly #spare: number[];
  /** Spare keys by their current keysym. */
  readonly #spareByKeysym = new Map<number, number>();
  /** The time of the last key press. */
  #lastPress = 0;
  /** The keycodes of keys that actions hold down, by name. */
  readonly #heldKeys = new Map<string, number>();

  static async open(connection: Connection, screen: Screen, ping: Ping): Promise<Keyboard> {
    const { first, last } = connection.keycodes;
    const rows = await connection.ask<readonly (readonly number[])[]>((done) =>
      connection.x.GetKeyboardMapping(first, last - first + 1, done),
    );
    const keyboard = new Keyboard(connection, screen, ping, readLayout(rows, first));
    await keyboard.release();
    return keyboard;
  }

  private constructor(connection: Connection, screen: Screen, ping: Ping, keys: ReturnType<typeof readLayout>) {
    this.#connection = connection;
    this.#screen = screen;
    this.#ping = ping;
    this.#layout = keys.layout;
    this.#spare = keys.spare.slice(0, MAX_SPARE);
  }

  /** Types a text into the focused window. Throws `UnknownKey` before typing anything. */
  async type(text: string): Promise<void> {
    const keysyms = keysymsOfText(text);
    for (let done = 0; done < keysyms.length; ) {
      const batch = this.#nextBatch(keysyms, done);
      await this.#map(batch);
      for (const keysym of batch) {
        const key = this.#keyOf(keysym);
        if (key === null) continue;
        this.#down(key);
        this.#up(key);
      }
      await this.#connection.sync();
      done += batch.length;
    }
  }

  /** Runs a function while keys are held down: pressed in their order before it, and released in reverse order after it. */
  async hold(keys: readonly string[], work: () => Promise<void>): Promise<void> {
    const pressedKeys: Key[] = [];
    const allKeys = await this.#resolve(keys);
    try {
      for (const key of allKeys) {
        this.#down(key);
        pressedKeys.push(key);
      }
      await this.#connection.sync();
      await work();
    } finally {
      for (const key of pressedKeys.reverse()) this.#up(key);
      await this.#connection.sync();
    }
  }

  /** Presses keys without releasing them. */
  async down(keys: readonly string[]): Promise<void> {
    for (const [index, key] of (await this.#resolve(keys)).entries()) {
      this.#down(key);
      this.#heldKeys.set(keys[index] ?? '', key.code);
    }
    await this.#connection.sync();
  }

  async up(keys: readonly string[]): Promise<void> {
    for (const [index, key] of (await this.#resolve(keys)).entries()) {
      const name = keys[index] ?? '';
      const code = this.#heldKeys.get(name) ?? key.code;
      this.#heldKeys.delete(name);
      this.#up({ ...key, code });
    }
    await this.#connection.sync();
  }

  /** Releases all pressed keys. */
  async release(): Promise<void> {
    const { x, test, root } = this.#connection;
    const down = await this.#connection.ask<Buffer>((done) => x.QueryKeymap(done));
    for (const [byte, bits] of down.entries()) {
      for (let bit = 0; bit < 8; bit++) {
        if ((bits & (1 << bit)) !== 0) test.FakeInput(test.KeyRelease, byte * 8 + bit, 0, root, 0, 0);
      }
    }
    this.#heldKeys.clear();
    await this.#connection.sync();
  }

  async #resolve(keys: readonly string[]): Promise<readonly Key[]> {
    const keysyms = keysymsOfKeys(keys);
    await this.#map(keysyms);
    return keysyms.map((keysym) => {
      const key = this.#keyOf(keysym);
      if (key === null) throw new UnknownKey('more keys at once than the keyboard has room for');
      return key;
    });
  }

  /** The keysyms that can be typed before spare keys must be remapped. */
  #nextBatch(keysyms: readonly number[], from: number): readonly number[] {
    const foreign = new Set<number>();
    let end = from;
    for (; end < keysyms.length && end - from < BATCH_SIZE; end++) {
      const keysym = keysyms[end] as number;
      if (this.#layout.has(keysym)) continue;
      foreign.add(keysym);
      if (foreign.size > this.#spare.length) break;
    }
    return keysyms.slice(from, end);
  }

  /** Maps spare keys to keysyms that no key has. */
  async #map(keysyms: readonly number[]): Promise<void> {
    const foreign = [...new Set(keysyms)].filter((keysym) => !this.#layout.has(keysym));
    for (const keysym of foreign) {
      const code = this.#spareByKeysym.get(keysym);
      if (code !== undefined) this.#renew(code);
    }
    const missing = foreign.filter((keysym) => !this.#spareByKeysym.has(keysym));
    if (missing.length === 0) return;
    const late = await slowness();
    if (this.#spareByKeysym.size > 0) {
      const { first, quiet, most } = PRESS_DRAWN;
      await this.#ping();
      // Gradual drawing pauses for longer than it takes to start.
      const delays = { first: late * first, quiet: (2 * late - 1) * quiet, most: late * most };
      await this.#screen.settle(this.#lastPress, delays);
    }
    for (const keysym of missing) {
      const [code] = this.#spare;
      if (code === undefined)
        throw new UnknownKey('the keyboard has no key to spare for a character of another script');
      for (const [old, oldCode] of this.#spareByKeysym) if (oldCode === code) this.#spareByKeysym.delete(old);
      this.#spareByKeysym.set(keysym, code);
      this.#renew(code);
      this.#connection.x.ChangeKeyboardMapping(code, 2, [keysym, keysym]);
    }
    await this.#ping();
    await pause(late * MAPPING_DELAY);
  }

  #renew(code: number): void {
    this.#spare.splice(this.#spare.indexOf(code), 1);
    this.#spare.push(code);
  }

  #keyOf(keysym: number): Key | null {
    const own = this.#layout.get(keysym);
    if (own !== undefined) return own;
    const code = this.#spareByKeysym.get(keysym);
    return code === undefined ? null : { code, shift: false };
  }

  #down({ code, shift }: Key): void {
    this.#lastPress = performance.now();
    const { test, root } = this.#connection;
    if (shift) test.FakeInput(test.KeyPress, this.#shift, 0, root, 0, 0);
    test.FakeInput(test.KeyPress, code, 0, root, 0, 0);
  }

  #up({ code, shift }: Key): void {
    const { test, root } = this.#connection;
    test.FakeInput(test.KeyRelease, code, 0, root, 0, 0);
    if (shift) test.FakeInput(test.KeyRelease, this.#shift, 0, root, 0, 0);
  }

  get #shift(): number {
    return this.#layout.get(keysymOf('Shift') ?? 0)?.code ?? 50;
  }
}

/**
 * Reads a keyboard map: the keys by keysym from the first two columns (without and with Shift), and the unmapped keys.
 * `first`: the keycode of the first row.
 */
export function readLayout(
  rows: readonly (readonly number[])[],
  first: number,
): { readonly layout: ReadonlyMap<number, Key>; readonly spare: readonly number[] } {
  const layout = new Map<number, Key>();
  for (const column of [0, 1]) {
    for (const [index, row] of rows.entries()) {
      const keysym = row[column] ?? 0;
      if (keysym === 0 || layout.has(keysym)) continue;
      layout.set(keysym, { code: first + index, shift: column === 1 });
      // A key with one letter types its uppercase form with Shift (X11 protocol, chapter 5).
      const isLowerLetter = keysym >= 0x61 && keysym <= 0x7a;
      if (column === 0 && isLowerLetter && (row[1] ?? 0) === 0 && !layout.has(keysym - 0x20)) {
        layout.set(keysym - 0x20, { code: first + index, shift: true });
      }
    }
  }
  const spare = rows.flatMap((row, index) => (row.every((keysym) => keysym === 0) ? [first + index] : []));
  return { layout, spare };
}

/**
 * The factor by which programs may be slower than on an idle machine, estimated from the number of runnable processes
 * (proc(5), `/proc/loadavg`). If that is unknown, the machine is assumed to be idle.
 */
async function slowness(): Promise<number> {
  const load = await readFile('/proc/loadavg', 'utf8').catch(() => '');
  const others = Number(/ (\d+)\/\d+ /.exec(load)?.[1] ?? 1) - 1;
  return Math.min(MAX_SLOWNESS, Math.max(1, Math.ceil(others / availableParallelism())));
}
