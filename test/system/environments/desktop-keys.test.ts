import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { inCi } from '../../../scripts/in-ci.ts';
import type { ActionInput } from '../../../src/actions/action.ts';
import { CLA_KEYS, keyName } from '../../../src/actions/keys.ts';
import { Connection } from '../../../src/environments/desktop/connection.ts';
import { DesktopEnvironment } from '../../../src/environments/desktop/environment.ts';
import { keysymOf } from '../../../src/environments/desktop/keysyms.ts';
import { missingPrograms, withoutPrograms } from '../../../src/environments/desktop/programs.ts';
import { task } from '../server/harness.ts';

const missing = await missingPrograms();
if (missing.length > 0 && inCi) throw new Error(withoutPrograms(missing));

/** What a window hears of the keyboard (X11 protocol: KeyPress, KeyRelease). */
interface Heard {
  readonly kind: 'down' | 'up';
  /** What the key means, alone and with Shift, at the moment at which it was heard of. */
  readonly keysyms: readonly number[];
  /** Modifiers that were down before. */
  readonly state: number;
}

const MODIFIERS = { shift: 1, ctrl: 4, alt: 8, win: 64 } as const;
/** What CapsLock and NumLock leave on is no modifier that is held. */
const HELD = Object.values(MODIFIERS).reduce<number>((all, one) => all | one, 0);
const KEYS_OF_MODIFIERS = /^(?:shift|ctrl|alt|option|win|command|capslock|numlock|scrolllock|modechange|kana)/;

/** A window of an application that notes each key that it is told of. */
class Listener {
  readonly heard: Heard[] = [];
  readonly #connection: Connection;

  private constructor(connection: Connection) {
    this.#connection = connection;
  }

  static async open(display: string, authority: string): Promise<Listener> {
    const connection = await Connection.open(display, authority);
    const listener = new Listener(connection);
    const x = connection.x as unknown as Record<string, (...args: unknown[]) => void> & { AllocID(): number };
    const id = x.AllocID();
    // Of its own, outside the window manager's frames: KeyPress, KeyRelease.
    x['CreateWindow']?.(id, connection.root, 100, 100, 200, 200, 0, 0, 0, 0, { overrideRedirect: true, eventMask: 3 });
    x['MapWindow']?.(id);
    await connection.sync();
    x['SetInputFocus']?.(id, 0);
    connection.listen((event) => void listener.#hear(event as never));
    await connection.sync();
    return listener;
  }

  #asked = Promise.resolve();
  #hear({ name, keycode, buttons }: { name: string; keycode: number; buttons: number }): void {
    if (name !== 'KeyPress' && name !== 'KeyRelease') return;
    const meant = this.#connection.ask<readonly (readonly number[])[]>((done) =>
      this.#connection.x.GetKeyboardMapping(keycode, 1, done),
    );
    this.#asked = this.#asked.then(async () => {
      const [row = []] = await meant;
      const kind = name === 'KeyPress' ? 'down' : 'up';
      this.heard.push({ kind, keysyms: row.slice(0, 2), state: buttons & HELD });
    });
  }

  /** What was heard since this was last asked. */
  async takeEvents(): Promise<readonly Heard[]> {
    await this.#connection.sync();
    await this.#asked;
    return this.heard.splice(0);
  }

  close(): void {
    this.#connection.close();
  }
}

describe.skipIf(missing.length > 0)('keys that a window receives', () => {
  let environment: DesktopEnvironment;
  let listener: Listener;
  beforeAll(async () => {
    environment = new DesktopEnvironment({ browser: () => Promise.reject(new Error('none')), log: () => {} });
    const desktop = task('', { env: { type: 'hud-ubuntu' }, initial_state: {} });
    await environment.reset({ task: desktop, files: { folder: import.meta.dirname }, seed: 0 });
    const { workspace } = environment.functionContext();
    const { output = '' } = (await workspace?.run('echo $DISPLAY; echo $XAUTHORITY', { timeout: 5_000 })) ?? {};
    const [display = '', authority = ''] = output.split('\n');
    listener = await Listener.open(display, authority);
    // Until the window manager has taken note of it, the focus may be elsewhere.
    await vi.waitFor(
      async () => {
        await step({ type: 'press', keys: ['a'] } as ActionInput);
        expect(await listener.takeEvents()).toHaveLength(2);
      },
      { timeout: 60_000 },
    );
  });
  afterAll(async () => {
    listener?.close();
    await environment?.close();
  });

  async function step(...actions: ActionInput[]): Promise<void> {
    expect((await environment.step(actions)).error).toBeNull();
  }

  test.each(CLA_KEYS.filter((key) => !KEYS_OF_MODIFIERS.test(key)))('%j', async (key) => {
    const wanted = keysymOf(keyName(key)) ?? 0;
    await step({ type: 'press', keys: [key] } as ActionInput);
    const events = await listener.takeEvents();

    const [down, up] = events.filter(({ keysyms }) => keysyms.includes(wanted));
    const isShifted = down?.keysyms[0] !== wanted;
    expect([down?.kind, up?.kind]).toEqual(['down', 'up']);
    // What stands above another character takes Shift, and nothing else is pressed.
    expect(down?.state).toBe(isShifted ? MODIFIERS.shift : 0);
    expect(events).toHaveLength(isShifted ? 4 : 2);
  });

  test.each(CLA_KEYS.filter((key) => KEYS_OF_MODIFIERS.test(key)))('%j, which changes others', async (key) => {
    // Twice: what locks is open again.
    await step({ type: 'press', keys: [key] } as ActionInput, { type: 'press', keys: [key] } as ActionInput);
    const events = await listener.takeEvents();
    expect(events.map(({ kind }) => kind)).toEqual(['down', 'up', 'down', 'up']);
    for (const { keysyms } of events) expect(keysyms).toContain(keysymOf(keyName(key)));
  });

  const modifiers = Object.keys(MODIFIERS) as (keyof typeof MODIFIERS)[];
  const chords = Array.from({ length: 2 ** modifiers.length - 1 }, (_, index) =>
    modifiers.filter((_, bit) => ((index + 1) & (1 << bit)) !== 0),
  );
  // Control, Alt and F4 change the X server's console: no window is told of it.
  const isOurs = (keys: readonly string[]): boolean => !['ctrl', 'alt', 'f4'].every((key) => keys.includes(key));
  const all = chords.flatMap((held) => ['c', 'f4', 'tab', 'left', '1', 'ö'].map((key) => [...held, key]));
  test.each(all.filter(isOurs).map((keys) => [keys]))('the chord %j', async (keys) => {
    const held = keys.slice(0, -1) as (keyof typeof MODIFIERS)[];
    const last = keys.at(-1) ?? '';
    const wanted = keysymOf(keyName(last)) ?? 0;
    await step(`keyboard_press('${keys.map(keyName).join('+')}')`);
    const events = await listener.takeEvents();

    expect(events).toHaveLength(2 * keys.length);
    const pressed = events.filter(({ keysyms }) => keysyms.includes(wanted));
    const state = held.reduce((all, one) => all | MODIFIERS[one], 0);
    expect(pressed.map((one) => [one.kind, one.state])).toEqual([
      ['down', state],
      ['up', state],
    ]);
    // All are up again, in the other order.
    expect(events.at(-1)).toMatchObject({ kind: 'up', keysyms: [keysymOf(keyName(held[0] ?? '')), expect.anything()] });
  });

  test('that are held down until they are released, also during other actions', async () => {
    await step("keyboard_down('Shift')");
    await step("keyboard_press('F5')", 'mouse_move(500, 500)');
    await step("keyboard_up('Shift')", "keyboard_press('F5')");
    const F5 = keysymOf('F5') ?? 0;
    const pressed = (await listener.takeEvents()).filter(
      ({ keysyms, kind }) => kind === 'down' && keysyms.includes(F5),
    );
    expect(pressed.map(({ state }) => state)).toEqual([MODIFIERS.shift, 0]);
  });
});
