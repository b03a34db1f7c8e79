import { describe, expect, it } from 'vitest';
import { CLA_KEYS, keyName } from '../../../../src/actions/keys.ts';
import { readLayout } from '../../../../src/environments/desktop/keyboard.ts';
import { keysymOf, keysymOfCharacter } from '../../../../src/environments/desktop/keysyms.ts';

describe('keysyms', () => {
  it('there is one for each of HUD’s key names', () => {
    expect(CLA_KEYS.filter((key) => keysymOf(keyName(key)) === null)).toEqual([]);
  });

  it.each([
    ['Enter', 0xff0d],
    ['F12', 0xffc9],
    ['F13', 0xffca],
    ['Numpad7', 0xffb7],
    ['KeyA', 0x61],
    ['Digit4', 0x34],
    ['BracketLeft', 0x5b],
    ['A', 0x41],
    ['é', 0xe9],
    ['東', 0x1006771],
    ['😀', 0x101f600],
  ])('of %s', (key, keysym) => {
    expect(keysymOf(key)).toBe(keysym);
  });

  it.each(['F25', 'Numpad10', 'Nothing', 'constructor', ''])('“%s” is no key', (key) => {
    expect(keysymOf(key)).toBeNull();
  });

  it('a line break is Enter, and what no key writes has none', () => {
    expect(keysymOfCharacter('\n')).toBe(keysymOf('Enter'));
    expect(keysymOfCharacter('\u0007')).toBeNull();
    expect(keysymOfCharacter('\ud800')).toBeNull();
  });
});

describe('the layout of a keyboard', () => {
  const rows = [
    [0x61, 0x41, 0x61, 0x41],
    [0x31, 0x21],
    [0x62, 0],
    [0, 0],
    [0xffe1, 0xfe08],
    // On another key again: the first one counts.
    [0x21, 0],
  ];
  const { layout, spare } = readLayout(rows, 8);

  it('maps keys to characters, with and without Shift', () => {
    expect(layout.get(0x61)).toEqual({ code: 8, shift: false });
    expect(layout.get(0x41)).toEqual({ code: 8, shift: true });
    expect(layout.get(0xffe1)).toEqual({ code: 12, shift: false });
  });

  it('prefers a key that needs no Shift', () => {
    expect(layout.get(0x21)).toEqual({ code: 13, shift: false });
  });

  it('a single letter is upper case with Shift', () => {
    expect(layout.get(0x42)).toEqual({ code: 10, shift: true });
  });

  it('keys without a symbol are free', () => {
    expect(spare).toEqual([11]);
  });
});
