import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BrowserEnvironment } from '../../../src/environments/browser/environment.ts';
import { launch, PATIENT, showing } from './stage.ts';

let browser: Browser;
let environment: BrowserEnvironment;

beforeAll(async () => {
  browser = await launch();
  environment = new BrowserEnvironment(
    { browser: async () => browser, log: console.log, miniwob: async () => '' },
    PATIENT,
  );
});
afterAll(async () => {
  await environment.close();
  await browser.close();
});

/** A page that tells of events by type, in the words of a function of the event. */
function telling(words: string, types: readonly string[], body = ''): string {
  return `<body style="margin: 0">${body}<script>
    window.told = [];
    for (const type of ${JSON.stringify(types)}) addEventListener(type, (event) => {
      if (type === 'contextmenu') event.preventDefault();
      window.told.push(((event) => ${words})(event));
    }, true);
  </script>`;
}

/** What the page was told while the actions were carried out. */
async function act(html: string, ...actions: readonly { type: string; [key: string]: unknown }[]): Promise<unknown> {
  await showing(environment, html);
  const { error } = await environment.step(actions);
  expect(error).toBeNull();
  return environment.functionContext().page?.evaluate('window.told');
}

const AT = { x: 40, y: 30 };

describe('a click of CLA', () => {
  const clicks = telling('`${event.type} ${event.detail}`', ['click', 'dblclick']);

  it('counts the clicks of its pattern, and waits between them', async () => {
    expect(await act(clicks, { type: 'click', point: AT })).toEqual(['click 1']);
    expect(await act(clicks, { type: 'click', point: AT, pattern: [100] })).toEqual([
      'click 1',
      'click 2',
      'dblclick 2',
    ]);
    expect(await act(clicks, { type: 'click', point: AT, pattern: [10, 10] })).toContain('click 3');
    const times = (await act(telling('event.timeStamp', ['click']), {
      type: 'click',
      point: AT,
      pattern: [150],
    })) as number[];
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(145);
  });

  it('holds keys during the click only', async () => {
    const held = telling('[event.type, event.ctrlKey, event.shiftKey, event.altKey]', ['click', 'keyup']);
    const hold_keys = ['ctrl', 'shift'];
    expect(await act(held, { type: 'click', point: AT, hold_keys }, { type: 'click', point: AT })).toEqual([
      ['click', true, true, false],
      ['keyup', true, false, false],
      ['keyup', false, false, false],
      ['click', false, false, false],
    ]);
  });

  it('has each button', async () => {
    const buttons = telling('[event.type, event.button]', ['click', 'auxclick', 'contextmenu']);
    const each = ['left', 'right', 'middle'].map((button) => ({ type: 'click', point: AT, button }));
    expect(await act(buttons, ...each)).toEqual([
      ['click', 0],
      ['contextmenu', 2],
      ['auxclick', 2],
      ['auxclick', 1],
    ]);
  });

  it('navigates the history with the side buttons', async () => {
    await showing(environment, '<a href="#there">There</a>');
    const url = async (button: string) => (await environment.step([{ type: 'click', button }])).info.url;
    await environment.step(["click('a')"]);
    expect(await url('back')).not.toContain('#there');
    expect(await url('forward')).toContain('#there');
  });

  it('without a point is at the position of the mouse', async () => {
    const places = telling('[event.x, event.y]', ['click']);
    const moved = { type: 'move', point: AT };
    const by = { type: 'move', offset: { x: 5, y: -10 } };
    expect(await act(places, moved, { type: 'click' }, by, { type: 'click' })).toEqual([
      [40, 30],
      [45, 20],
    ]);
    const both = { type: 'move', point: { x: 10, y: 10 }, offset: { x: 3, y: 4 } };
    expect(await act(places, both, { type: 'click' })).toEqual([[13, 14]]);
  });
});

describe('other actions of CLA', () => {
  it('drags along its path with keys held, and waits according to its pattern', async () => {
    const way = telling('[event.type, event.x, event.y, event.altKey]', ['mousedown', 'mouseup']);
    const path = [AT, { x: 90, y: 60 }, { x: 120, y: 80 }];
    const start = performance.now();
    expect(await act(way, { type: 'drag', path, pattern: [100, 150], hold_keys: ['alt'] })).toEqual([
      ['mousedown', 40, 30, true],
      ['mouseup', 120, 80, true],
    ]);
    expect(performance.now() - start).toBeGreaterThan(250);
    const moves = telling('event.buttons === 1 && `${event.x},${event.y}`', ['mousemove']);
    const seen = (await act(moves, { type: 'drag', path })) as string[];
    expect(seen).toEqual(expect.arrayContaining(['90,60', '120,80']));
  });

  it('scrolls at its point or where the mouse is, with keys held', async () => {
    const wheel = telling('[event.deltaX, event.deltaY, event.x, event.shiftKey]', ['wheel']);
    expect(
      await act(
        wheel,
        { type: 'scroll', point: AT, scroll: { x: 0, y: 120 } },
        { type: 'scroll', scroll: { x: 30, y: -20 }, hold_keys: ['shift'] },
      ),
    ).toEqual([
      [0, 120, 40, false],
      [30, -20, 40, true],
    ]);
  });

  it('types, then presses Enter if requested', async () => {
    const keys = telling('event.key', ['keydown'], '<input>');
    const focus = { type: 'click', point: { x: 20, y: 10 } };
    expect(await act(keys, focus, { type: 'type', text: 'Hi', enter_after: true })).toEqual(['H', 'i', 'Enter']);
    expect(await environment.functionContext().page?.locator('input').inputValue()).toBe('Hi');
    expect(await act(keys, focus, { type: 'type', text: 'a', enter_after: null })).toEqual(['a']);
  });

  it('holds keys over several actions until they are released', async () => {
    const keys = telling('`${event.type} ${event.key}`', ['keydown', 'keyup']);
    expect(
      await act(
        keys,
        { type: 'keydown', keys: ['shift', 'a'] },
        { type: 'press', keys: ['tab'] },
        { type: 'keyup', keys: ['a', 'shift'] },
        { type: 'press', keys: ['ctrl', 'c'] },
      ),
    ).toEqual([
      'keydown Shift',
      'keydown A',
      'keydown Tab',
      'keyup Tab',
      'keyup A',
      'keyup Shift',
      'keydown Control',
      'keydown c',
      'keyup c',
      'keyup Control',
    ]);
  });

  it('types upper case and symbols with Shift', async () => {
    const field = telling('event.key', [], '<input autofocus>');
    const keys = [['shift', 'a'], ['b'], ['shift', '1']].map((pressed) => ({ type: 'press', keys: pressed }));
    await act(field, { type: 'click', point: { x: 20, y: 10 } }, ...keys);
    expect(await environment.functionContext().page?.locator('input').inputValue()).toBe('Ab!');
  });

  it('waits, and reports the position of the mouse', async () => {
    await showing(environment, '<h1>Shop</h1>');
    const start = performance.now();
    await environment.step([{ type: 'wait', time: 200 }]);
    expect(performance.now() - start).toBeGreaterThan(195);
    const { info } = await environment.step([{ type: 'move', point: AT }, { type: 'position' }]);
    expect(info.acted?.[1]).toEqual({ action: 'position()', point: AT });
  });
});
