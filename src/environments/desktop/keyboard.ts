import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from './connection.ts';
import { keysymOf, keysymOfCharacter } from './keysyms.ts';
import type { Screen } from './screen.ts';

/** How long programs need to receive a key's new mapping before it is pressed, in ms. */
const MEANING_TAKEN = 15;
/**
 * A key that was pressed may get another meaning when its character is on the screen: so long is waited for that, for
 * the screen to be still after it, and at most, in ms. A program that is late would look the new one up.
 */
const PRESS_TAKEN = { first: 80, quiet: 15, most: 300 };
/** So many spare keys get a meaning at a time: more confuse programs. */
const MOST_SPARE = 19;
/** So many times longer is waited at the most on a machine that has more to do. */
const MOST_LATE = 16;
/** So many characters are typed before it is waited that they were taken. */
const TYPED_AT_ONCE = 50;

/** A key of the keyboard, and whether Shift has to be held for what is wanted of it. */
interface Key {
  readonly code: number;
  readonly shift: boolean;
}

/** A key that there is no name for, or a character that no key writes. */
export class UnknownKey extends Error {}

/** The keyboard of a desktop. A character that its layout does not have is put on a key that has no meaning. */
export class Keyboard {
  readonly #connection: Connection;
  readonly #screen: Screen;
  /** Keys by keysym, as the layout has them. */
  readonly #layout: ReadonlyMap<number, Key>;
  /** Keys without a meaning of their own, those first that were given one the longest ago. */
  readonly #spare: number[];
  /** Spare keys by the keysym that they were given. */
  readonly #given = new Map<number, number>();
  /** When a key was pressed last. */
  #pressed = 0;
  /** Keycodes that actions hold down, by their name. */
  readonly #held = new Map<string, number>();

  static async open(connection: Connection, screen: Screen): Promise<Keyboard> {
    const { first, last } = connection.keycodes;
    const rows = await connection.ask<readonly (readonly number[])[]>((done) =>
      connection.x.GetKeyboardMapping(first, last - first + 1, done),
    );
    const keyboard = new Keyboard(connection, screen, rows, first);
    await keyboard.release();
    return keyboard;
  }

  private constructor(connection: Connection, screen: Screen, rows: readonly (readonly number[])[], first: number) {
    this.#connection = connection;
    this.#screen = screen;
    const { layout, spare } = readLayout(rows, first);
    this.#layout = layout;
    this.#spare = spare.slice(0, MOST_SPARE);
  }

  /** Types a text where the focus is. Throws `UnknownKey` before anything is typed. */
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

  /** Presses keys together: down in their order, up in reverse. */
  async press(keys: readonly string[]): Promise<void> {
    await this.hold(keys, async () => undefined);
  }

  /** Keys are held while something is done. */
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

  /** Holds keys down until they are let go. */
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

  /** Lets go of every key that is down, whoever pressed it. */
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
      if (keysym === null) throw new UnknownKey(`there is no key “${key}”`);
      return keysym;
    });
    await this.#give(keysyms);
    return keysyms.map((keysym) => {
      const key = this.#keyOf(keysym);
      if (key === null) throw new UnknownKey('more keys at once than the keyboard has room for');
      return key;
    });
  }

  /** What can be typed before spare keys have to get another meaning. */
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

  /** Sees to it that there is a key for each of these. */
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
      // What is drawn bit by bit pauses for longer than it takes to begin.
      await this.#screen.settle(this.#pressed, late * first, (2 * late - 1) * quiet, late * most);
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
    await this.#connection.sync();
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
 * Which key writes what, read from the first two columns of a keyboard's map (alone, with Shift), and the keys that mean
 * nothing. `first`: the keycode of the first row.
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
      // A key with one letter writes the large one with Shift (X11 protocol, chapter 5).
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
 * How many times longer programs may take now than on a machine with nothing else to do: by how many processes there are
 * to run beside this one (proc(5), `/proc/loadavg`). If that is unknown, the machine is assumed to be idle.
 */
async function lateness(): Promise<number> {
  const told = await readFile('/proc/loadavg', 'utf8').catch(() => '');
  const others = Number(/ (\d+)\/\d+ /.exec(told)?.[1] ?? 1) - 1;
  return Math.min(MOST_LATE, Math.max(1, Math.ceil(others / availableParallelism())));
}
