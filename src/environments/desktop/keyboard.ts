import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from './connection.ts';
import { keysymOf, keysymOfCharacter } from './keysyms.ts';
import type { Ping } from './ping.ts';
import type { Screen } from './screen.ts';

/** How long programs need to receive the new mapping of a key before it is pressed, in ms. */
const MEANING_TAKEN = 15;
/**
 * A pressed key can be remapped when its character is on the screen: how long to wait for the first change, for no
 * further changes, and at most, in ms. A slow program would look up the new mapping.
 */
const PRESS_TAKEN = { first: 80, quiet: 15, most: 300 };
/** How many spare keys are mapped at a time. More confuse programs. */
const MAX_SPARE = 19;
/** The maximum factor by which waits are longer on a busy machine. */
const MAX_LATENESS = 16;
/** How many characters are typed before waiting until they are processed. */
const TYPED_AT_ONCE = 50;

/** A key, and whether it needs Shift. */
interface Key {
  readonly code: number;
  readonly shift: boolean;
}

/** An unknown key name, or a character that no key can type. */
export class UnknownKey extends Error {}

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
  readonly #given = new Map<number, number>();
  /** The time of the last key press. */
  #pressed = 0;
  /** The keycodes of keys that actions hold down, by name. */
  readonly #held = new Map<string, number>();

  static async open(connection: Connection, screen: Screen, ping: Ping): Promise<Keyboard> {
    const { first, last } = connection.keycodes;
    const rows = await connection.ask<readonly (readonly number[])[]>((done) =>
      connection.x.GetKeyboardMapping(first, last - first + 1, done),
    );
    const keyboard = new Keyboard(connection, screen, ping, rows, first);
    await keyboard.release();
    return keyboard;
  }

  private constructor(
    connection: Connection,
    screen: Screen,
    ping: Ping,
    rows: readonly (readonly number[])[],
    first: number,
  ) {
    this.#connection = connection;
    this.#screen = screen;
    this.#ping = ping;
    const { layout, spare } = readLayout(rows, first);
    this.#layout = layout;
    this.#spare = spare.slice(0, MAX_SPARE);
  }

  /** Types a text into the focused window. Throws `UnknownKey` before typing anything. */
  async type(text: string): Promise<void> {
    const keysyms = [...text.replaceAll('\r\n', '\n')].map((character) => {
      const keysym = keysymOfCharacter(character);
      if (keysym === null) throw new UnknownKey(`no key writes the character ${JSON.stringify(character)}`);
      return keysym;
    });
    for (let done = 0; done < keysyms.length; ) {
      const batch = this.#nextBatch(keysyms, done);
      await this.#give(batch);
      for (const keysym of batch) {
        const key = this.#keyOf(keysym);
        if (key !== null) this.#tap(key);
      }
      await this.#connection.sync();
      done += batch.length;
    }
  }

  /** Presses keys in their order, and releases them in reverse order. */
  async press(keys: readonly string[]): Promise<void> {
    await this.hold(keys, async () => undefined);
  }

  /** Runs a function while keys are held down. */
  async hold(keys: readonly string[], what: () => Promise<void>): Promise<void> {
    const pressed: Key[] = [];
    const resolved = await this.#resolve(keys);
    try {
      for (const key of resolved) {
        this.#down(key);
        pressed.push(key);
      }
      await this.#connection.sync();
      await what();
    } finally {
      for (const key of pressed.reverse()) this.#up(key);
      await this.#connection.sync();
    }
  }

  /** Presses keys without releasing them. */
  async down(keys: readonly string[]): Promise<void> {
    const resolved = await this.#resolve(keys);
    for (const [index, key] of resolved.entries()) {
      this.#down(key);
      this.#held.set(keys[index] ?? '', key.code);
    }
    await this.#connection.sync();
  }

  async up(keys: readonly string[]): Promise<void> {
    const resolved = await this.#resolve(keys);
    for (const [index, key] of resolved.entries()) {
      const name = keys[index] ?? '';
      const code = this.#held.get(name) ?? key.code;
      this.#held.delete(name);
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
    this.#held.clear();
    await this.#connection.sync();
  }

  async #resolve(keys: readonly string[]): Promise<readonly Key[]> {
    const keysyms = keys.map((key) => {
      const keysym = keysymOf(key);
      if (keysym === null) throw new UnknownKey(`unknown key “${key}”`);
      return keysym;
    });
    await this.#give(keysyms);
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
    for (; end < keysyms.length && end - from < TYPED_AT_ONCE; end++) {
      const keysym = keysyms[end] as number;
      if (this.#layout.has(keysym)) continue;
      foreign.add(keysym);
      if (foreign.size > this.#spare.length) break;
    }
    return keysyms.slice(from, end);
  }

  /** Maps spare keys to keysyms that no key has. */
  async #give(keysyms: readonly number[]): Promise<void> {
    const wanted = [...new Set(keysyms)].filter((keysym) => !this.#layout.has(keysym));
    for (const keysym of wanted) {
      const code = this.#given.get(keysym);
      if (code !== undefined) this.#renew(code);
    }
    const missing = wanted.filter((keysym) => !this.#given.has(keysym));
    if (missing.length === 0) return;
    const late = await lateness();
    if (this.#given.size > 0) {
      const { first, quiet, most } = PRESS_TAKEN;
      await this.#ping.activeWindow();
      // Gradual drawing pauses for longer than it takes to start.
      const taken = { first: late * first, quiet: (2 * late - 1) * quiet, most: late * most };
      await this.#screen.settle(this.#pressed, taken);
    }
    for (const keysym of missing) {
      const [code] = this.#spare;
      if (code === undefined)
        throw new UnknownKey('the keyboard has no key to spare for a character of another script');
      for (const [old, oldCode] of this.#given) if (oldCode === code) this.#given.delete(old);
      this.#given.set(keysym, code);
      this.#renew(code);
      this.#connection.x.ChangeKeyboardMapping(code, 2, [keysym, keysym]);
    }
    await this.#ping.activeWindow();
    await pause(late * MEANING_TAKEN);
  }

  #renew(code: number): void {
    this.#spare.splice(this.#spare.indexOf(code), 1);
    this.#spare.push(code);
  }

  #keyOf(keysym: number): Key | null {
    const own = this.#layout.get(keysym);
    if (own !== undefined) return own;
    const code = this.#given.get(keysym);
    return code === undefined ? null : { code, shift: false };
  }

  #tap(key: Key): void {
    this.#down(key);
    this.#up(key);
  }

  #down({ code, shift }: Key): void {
    this.#pressed = performance.now();
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
      const upper = upperOf(keysym);
      if (column === 0 && upper !== null && (row[1] ?? 0) === 0 && !layout.has(upper)) {
        layout.set(upper, { code: first + index, shift: true });
      }
    }
  }
  const spare = rows.flatMap((row, index) => (row.every((keysym) => keysym === 0) ? [first + index] : []));
  return { layout, spare };
}

function upperOf(keysym: number): number | null {
  if (keysym < 0x61 || keysym > 0x7a) return null;
  return keysym - 0x20;
}

/**
 * The factor by which programs may be slower than on an idle machine, estimated from the number of runnable processes
 * (proc(5), `/proc/loadavg`). If that is unknown, the machine is assumed to be idle.
 */
async function lateness(): Promise<number> {
  const told = await readFile('/proc/loadavg', 'utf8').catch(() => '');
  const others = Number(/ (\d+)\/\d+ /.exec(told)?.[1] ?? 1) - 1;
  return Math.min(MAX_LATENESS, Math.max(1, Math.ceil(others / availableParallelism())));
}
