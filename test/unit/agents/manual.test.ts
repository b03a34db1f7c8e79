import { describe, expect, it } from 'vitest';
import { normaliseAction } from '../../../src/actions/normalise.ts';
import { actionOfGesture, type GestureContext, manualAgent, simplifyPath } from '../../../src/agents/manual/manual.ts';
import { type ManualGesture, ManualInput, type ManualQuestion } from '../../../src/agents/manual-input.ts';
import type { Pointed } from '../../../src/environments/environment.ts';

const button: Pointed = {
  selector: '#apply',
  bid: '17',
  label: 'Apply',
  steady: true,
  scale: 1,
  secret: false,
  draggable: false,
  asks: null,
};

function at(pointed: Pointed | null, more: Partial<GestureContext> = {}): GestureContext {
  return { findElement: async () => pointed, ask: async () => null, browsergym: false, ...more };
}

const click = { kind: 'click', point: { x: 403, y: 211 }, button: 'left', count: 1, hold: [] } as const;

describe('a manual click', () => {
  it.each<[string, ManualGesture, Pointed | null, unknown]>([
    ['on an element names it', click, button, "click('#apply')"],
    ['twice', { ...click, count: 2 }, button, "dblclick('#apply')"],
    ['with the right button', { ...click, button: 'right' }, button, "click('#apply', 'right')"],
    ['with keys held', { ...click, hold: ['Shift'] }, button, "click('#apply', 'left', ['Shift'])"],
    ['on a canvas means the point', click, { ...button, steady: false }, 'mouse_click(403, 211)'],
    [
      'on nothing that has a name means the point',
      click,
      { ...button, selector: null, bid: null },
      'mouse_click(403, 211)',
    ],
    ['in a frame means the id', click, { ...button, selector: null, bid: 'a4' }, "click('a4')"],
    ['on a page that is gone means the point', { ...click, count: 2 }, null, 'mouse_dblclick(403, 211)'],
    [
      'at a point with keys held is an action of HUD',
      { ...click, hold: ['Control'] },
      null,
      { type: 'click', point: { x: 403, y: 211 }, button: 'left', pattern: [], hold_keys: ['ctrl'] },
    ],
    [
      'three times marks a paragraph',
      { ...click, count: 3 },
      button,
      { type: 'click', point: { x: 403, y: 211 }, button: 'left', pattern: [0, 0], hold_keys: [] },
    ],
  ])('%s', async (_, input, pointed, action) => {
    const made = await actionOfGesture(input, at(pointed));
    expect(made).toEqual(action);
    expect(normaliseAction(made ?? '').failure).toBeNull();
  });

  it('refers to elements by id in BrowserGym environments', async () => {
    expect(await actionOfGesture(click, at(button, { browsergym: true }))).toBe("click('17')");
  });
});

describe('controls that open a window of the browser', () => {
  const asked: ManualQuestion[] = [];
  const answering = (answer: readonly string[] | null): Partial<GestureContext> => ({
    ask: async (question) => {
      asked.push(question);
      return answer;
    },
  });
  const size: Pointed = {
    ...button,
    selector: '#size',
    label: 'Size',
    asks: { kind: 'select', options: [{ value: 'l', label: 'Large', chosen: false }], multiple: false },
  };

  it('ask the user: a list, a date, a file', async () => {
    expect(await actionOfGesture(click, at(size, answering(['l'])))).toBe("select_option('#size', 'l')");
    expect(asked.at(-1)).toMatchObject({ kind: 'select', label: 'Size', multiple: false });
    const date: Pointed = { ...size, asks: { kind: 'value', type: 'date', value: '' } };
    expect(await actionOfGesture(click, at(date, answering(['2026-05-01'])))).toBe("fill('#size', '2026-05-01')");
    const file: Pointed = { ...size, asks: { kind: 'file' } };
    expect(await actionOfGesture(click, at(file, answering(['a.txt'])))).toBe("upload_file('#size', 'a.txt')");
  });

  it('do nothing if the user dismisses the question', async () => {
    expect(await actionOfGesture(click, at(size, answering(null)))).toBeNull();
  });

  it('do not ask for other clicks than a plain one', async () => {
    expect(await actionOfGesture({ ...click, button: 'right' }, at(size, answering(['l'])))).toBe(
      "click('#size', 'right')",
    );
  });
});

describe('other manual actions', () => {
  it('type, press keys, and scroll', async () => {
    expect(await actionOfGesture({ kind: 'text', text: "Ada's" }, at(null))).toBe('keyboard_type("Ada\'s")');
    expect(await actionOfGesture({ kind: 'key', keys: ['ControlOrMeta', 'a'] }, at(null))).toBe(
      "keyboard_press('ControlOrMeta+a')",
    );
    expect(await actionOfGesture({ kind: 'scroll', point: { x: 5, y: 6 }, x: 0, y: 300, hold: [] }, at(null))).toBe(
      'scroll_at(5, 6, 0, 300)',
    );
  });

  it('drag along the path of the mouse, without jitter', async () => {
    const path = [
      { x: 0, y: 0 },
      { x: 50, y: 1 },
      { x: 100, y: 0 },
    ];
    expect(await actionOfGesture({ kind: 'drag', path, hold: [] }, at(button))).toBe(
      'mouse_drag_and_drop(0, 0, 100, 0)',
    );
    const corner = [...path, { x: 100, y: 80 }];
    expect(simplifyPath(corner)).toEqual([path[0], path[2], corner[3]]);
    const made = await actionOfGesture({ kind: 'drag', path: corner, hold: [] }, at(button));
    expect(normaliseAction(made ?? '')).toMatchObject({
      failure: null,
      actions: [{ type: 'drag', path: { length: 3 } }],
    });
    const gym = await actionOfGesture({ kind: 'drag', path: corner, hold: [] }, at(button, { browsergym: true }));
    expect(normaliseAction(gym ?? '', { dialect: 'browsergym' }).actions).toMatchObject([{ type: 'drag' }]);
  });

  it('use the pixels of the agent’s screenshot if it is larger than the page', async () => {
    const canvas = at({ ...button, steady: false, scale: 1.5 }, { browsergym: true });
    expect(await actionOfGesture({ ...click, point: { x: 100, y: 21 } }, canvas)).toBe('mouse_click(150, 32)');
    expect(await actionOfGesture({ kind: 'scroll', point: { x: 10, y: 20 }, x: 0, y: 120, hold: [] }, canvas)).toBe(
      'scroll_at(15, 30, 0, 180)',
    );
    const path = [
      { x: 0, y: 0 },
      { x: 100, y: 0 },
    ];
    expect(await actionOfGesture({ kind: 'drag', path, hold: [] }, canvas)).toBe('mouse_drag_and_drop(0, 0, 150, 0)');
  });

  it('drag draggable elements from element to element', async () => {
    const names = ['#card', '#bin'];
    const work = at(null, {
      findElement: async () => ({ ...button, draggable: true, selector: names.shift() ?? null }),
    });
    const path = [
      { x: 0, y: 0 },
      { x: 100, y: 0 },
    ];
    expect(await actionOfGesture({ kind: 'drag', path, hold: [] }, work)).toBe("drag_and_drop('#card', '#bin')");
  });
});

describe('the user as an agent', () => {
  it('sees dots as soon as the keys may go to a password field', async () => {
    const manualInput = new ManualInput(async () => null);
    const agent = manualAgent(manualInput, { type: 'hud-browser' });
    let secret = false;
    agent.attach?.({
      findElement: async (point) => (point === null ? { ...button, secret } : button),
      actions: null,
      offers: [],
      last: () => expect.unreachable(),
      judge: () => expect.unreachable(),
      urls: () => expect.unreachable(),
    });
    const observation = { text: '', screenshot: null };
    const turn = { prompt: '', step: 0, observation, reward: null, terminated: false, error: null, tools: [] };
    const { signal } = new AbortController();
    manualInput.push(click);
    expect(await agent.act(turn, signal)).toEqual({ actions: "click('#apply')" });
    expect(manualInput.typesSecret).toBe(true);
    for (secret of [true, false]) {
      manualInput.push({ kind: 'text', text: 'x' });
      manualInput.push(click);
      expect(await agent.act(turn, signal)).toEqual({ actions: "keyboard_type('x')" });
      expect(manualInput.typesSecret).toBe(secret);
      await agent.act(turn, signal);
    }
    manualInput.push({ kind: 'done' });
    expect(await agent.act(turn, signal)).toEqual({ actions: null });
  });
});
