import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ManualGesture } from '../../../src/presentation/runs/messages.ts';
import { panelMessageSchema } from '../../../src/presentation/runs/messages.ts';
import { Gestures, type PointerSample } from '../../../webview/manual/gestures.ts';
import { type KeyPress, keyActionOf } from '../../../webview/manual/keys.ts';
import { pagePoint } from '../../../webview/manual/page-point.ts';

describe('a place in the picture', () => {
  const page = { width: 1280, height: 720 };

  it.each([0.25, 1 / 3, 0.5, 0.613, 1, 1.5, 2.75])('at scale %d is the very pixel of the page', (scale) => {
    const shown = { left: 17.25, top: 340.5, width: page.width * scale, height: page.height * scale };
    for (const [x, y] of [
      [0, 0],
      [1, 1],
      [403, 211],
      [639, 359],
      [1279, 719],
    ] as const) {
      // The middle of the pixel as it is drawn, and the first place that belongs to it.
      for (const inside of [0.5, 0]) {
        const at = { x: shown.left + (x + inside) * scale, y: shown.top + (y + inside) * scale };
        expect(pagePoint(at, shown, page)).toEqual({ x, y });
      }
    }
  });

  it('beside the picture is the nearest pixel of its edge', () => {
    const shown = { left: 10, top: 10, width: 640, height: 360 };
    expect(pagePoint({ x: 0, y: 9999 }, shown, page)).toEqual({ x: 0, y: 719 });
    expect(pagePoint({ x: 650, y: 370 }, shown, page)).toEqual({ x: 1279, y: 719 });
    expect(pagePoint({ x: 5, y: 5 }, { ...shown, width: 0, height: 0 }, page)).toEqual({ x: 0, y: 0 });
  });
});

describe('the mouse over the picture', () => {
  let said: ManualGesture[];
  let gestures: Gestures;
  beforeEach(() => {
    vi.useFakeTimers();
    said = [];
    gestures = new Gestures((input) => said.push(input));
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  /** The picture is drawn at half its size. */
  const at = (x: number, y: number, more: Partial<PointerSample> = {}): PointerSample => ({
    page: { x: 2 * x, y: 2 * y },
    window: { x, y },
    hold: [],
    ...more,
  });
  const press = (x: number, y: number, button: 'left' | 'right' = 'left'): void => {
    gestures.down(button, at(x, y));
    gestures.up(at(x, y));
  };

  it('clicks, when no other click follows', () => {
    press(10, 20);
    expect(said).toEqual([]);
    vi.advanceTimersByTime(250);
    expect(said).toEqual([{ kind: 'click', point: { x: 20, y: 40 }, button: 'left', count: 1, hold: [] }]);
  });

  it('double clicks once, and clicks thrice once', () => {
    press(10, 20);
    vi.advanceTimersByTime(150);
    press(11, 20);
    vi.advanceTimersByTime(1000);
    for (let i = 0; i < 3; i += 1) press(10, 20);
    vi.advanceTimersByTime(1000);
    expect(said.map((input) => input.kind === 'click' && input.count)).toEqual([2, 3]);
  });

  it('waits for the second click to end, however slow', () => {
    press(10, 20);
    gestures.down('left', at(10, 20));
    vi.advanceTimersByTime(1000);
    expect(said).toEqual([]);
    gestures.up(at(10, 20));
    vi.advanceTimersByTime(250);
    expect(said).toMatchObject([{ count: 2 }]);
  });

  it('clicks twice at two places', () => {
    press(10, 20);
    press(100, 20);
    vi.advanceTimersByTime(250);
    expect(said).toMatchObject([
      { count: 1, point: { x: 20 } },
      { count: 1, point: { x: 200 } },
    ]);
  });

  it('clicks with the right button at once', () => {
    press(10, 20, 'right');
    expect(said).toMatchObject([{ button: 'right', count: 1 }]);
  });

  it('clicks in its order before what follows', () => {
    press(10, 20);
    gestures.settle();
    expect(said).toMatchObject([{ kind: 'click' }]);
    vi.advanceTimersByTime(1000);
    expect(said).toHaveLength(1);
  });

  it('drags where the pressed mouse goes, and clicks where it only trembles', () => {
    gestures.down('left', at(10, 20, { hold: ['Shift'] }));
    gestures.move(at(12, 21));
    expect(gestures.path).toBeNull();
    gestures.move(at(40, 60));
    expect(gestures.path).toHaveLength(3);
    gestures.up(at(41, 60));
    expect(said).toEqual([
      {
        kind: 'drag',
        path: [
          { x: 20, y: 40 },
          { x: 24, y: 42 },
          { x: 80, y: 120 },
          { x: 82, y: 120 },
        ],
        hold: ['Shift'],
      },
    ]);
    gestures.down('left', at(10, 20));
    gestures.move(at(12, 21));
    gestures.up(at(12, 21));
    vi.advanceTimersByTime(250);
    expect(said.at(-1)).toMatchObject({ kind: 'click', point: { x: 20, y: 40 } });
  });

  it('does nothing where it was taken away', () => {
    gestures.down('left', at(10, 20));
    gestures.move(at(90, 90));
    gestures.cancel();
    gestures.up(at(90, 90));
    expect(said).toEqual([]);
  });
});

describe('a key while keys go to the page', () => {
  const key = (name: string, held: Partial<KeyPress> = {}): KeyPress => ({
    key: name,
    ctrlKey: false,
    altKey: false,
    metaKey: false,
    shiftKey: false,
    isComposing: false,
    getModifierState: () => false,
    ...held,
  });

  it.each<[string, KeyPress, unknown]>([
    ['a letter', key('a'), 'types'],
    ['a capital', key('A', { shiftKey: true }), 'types'],
    ['a space', key(' '), 'types'],
    ['an accent that waits for its letter', key('Dead'), 'types'],
    ['an input method at work', key('Enter', { isComposing: true }), 'types'],
    ['AltGr', key('€', { ctrlKey: true, altKey: true, getModifierState: (one) => one === 'AltGraph' }), 'types'],
    ['Tab', key('Tab'), { keys: ['Tab'] }],
    ['Shift and Tab', key('Tab', { shiftKey: true }), { keys: ['Shift', 'Tab'] }],
    ['Escape', key('Escape'), { keys: ['Escape'] }],
    ['a function key', key('F1'), { keys: ['F1'] }],
    [
      'what opens VS Code’s palette',
      key('P', { ctrlKey: true, shiftKey: true }),
      { keys: ['ControlOrMeta', 'Shift', 'p'] },
    ],
    ['Alt and an arrow', key('ArrowLeft', { altKey: true }), { keys: ['Alt', 'ArrowLeft'] }],
    ['Ctrl and space', key(' ', { ctrlKey: true }), { keys: ['ControlOrMeta', 'Space'] }],
    ['pasting', key('v', { ctrlKey: true }), 'pastes'],
    ['a modifier alone', key('Shift', { shiftKey: true }), 'nothing'],
    ['the key that leaves', key('Escape', { shiftKey: true }), 'leaves'],
  ])('%s', (_, event, meaning) => {
    expect(keyActionOf(event, false)).toEqual(meaning);
  });

  it('is Command’s on a Mac, where Alt makes characters', () => {
    expect(keyActionOf(key('a', { metaKey: true }), true)).toEqual({ keys: ['ControlOrMeta', 'a'] });
    expect(keyActionOf(key('a', { ctrlKey: true }), true)).toEqual({ keys: ['Control', 'a'] });
    expect(keyActionOf(key('@', { altKey: true }), true)).toBe('types');
    expect(keyActionOf(key('v', { metaKey: true }), true)).toBe('pastes');
  });
});

describe('what the page says of a hand', () => {
  it('is taken as it should be and in no other form', () => {
    const click = { kind: 'click', point: { x: 1, y: 2 }, button: 'left', count: 1, hold: [] };
    const takes = (input: unknown): boolean => panelMessageSchema.safeParse({ type: 'hand', input }).success;
    expect(takes(click)).toBe(true);
    for (const wrong of [
      { ...click, point: { x: 1.5, y: 2 } },
      { ...click, point: { x: -1, y: 2 } },
      { ...click, count: 9 },
      { ...click, button: 'fourth' },
      { ...click, hold: ['Everything'] },
      { kind: 'text', text: '' },
      { kind: 'key', keys: [] },
      { kind: 'goto', url: 'file:///etc/passwd' },
    ]) {
      expect(takes(wrong), JSON.stringify(wrong)).toBe(false);
    }
  });
});
