import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLA_KEYS, keyName } from '../../../src/actions/keys.ts';
import { BROWSERGYM_FUNCTIONS, TASKWRIGHT_FUNCTIONS } from '../../../src/actions/signatures.ts';
import { BrowserEnvironment } from '../../../src/environments/browser/environment.ts';
import { everyThird, repeatedSample } from '../../sample.ts';
import { recorded } from '../../unit/actions/fixtures.ts';
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

const page = () => environment.functionContext().page;

describe('every CLA object that HUD 0.2.10 takes', () => {
  interface Row {
    readonly hud: string;
    readonly in: { readonly type: string; readonly action?: string };
    readonly out?: unknown;
  }
  const rows = recorded<Row>('actions', 'cla.jsonl').filter((row) => row.hud === '0.2.10');

  beforeAll(() => showing(environment, '<h1>Shop</h1>'));

  it.each(repeatedSample(rows.filter((row) => row.out !== undefined)))(
    'is carried out: $in',
    async ({ in: action }) => {
      const { error } = await environment.step([action]);
      // Only the maker of an environment can give it a meaning.
      if (action.type === 'custom') expect(error?.code).toBe('unknown_action');
      else expect(error).toBeNull();
    },
  );

  it('and each that it rejects is rejected, and the run continues', async () => {
    for (const { in: action } of rows.filter((row) => row.out === undefined)) {
      const { error, terminated } = await environment.step([action]);
      expect(error?.message, JSON.stringify(action)).toMatch(/\w/);
      expect(terminated).toBe(false);
    }
  });
});

describe('each of the 188 keys', () => {
  it('reaches the page and is released', async () => {
    await showing(
      environment,
      `<script>window.seen = [];
       for (const type of ['keydown', 'keyup']) addEventListener(type, (event) => {
         window.seen.push([type, event.key, event.isTrusted]); event.preventDefault(); }, true);</script>`,
    );
    for (const key of everyThird(CLA_KEYS)) {
      const { error } = await environment.step([{ type: 'press', keys: [key] }]);
      expect(error, key).toBeNull();
      const seen = await page()?.evaluate<[string, string, boolean][]>('window.seen.splice(0)');
      expect(
        seen?.map(([type, , trusted]) => [type, trusted]),
        key,
      ).toEqual([
        ['keydown', true],
        ['keyup', true],
      ]);
      expect(seen?.[0]?.[1], key).not.toBe('Unidentified');
      if (keyName(key).length === 1) expect(seen?.[0]?.[1]).toBe(keyName(key));
    }
  });

  it('is pressed with others, held during other actions, and typed if it is a character', async () => {
    await showing(
      environment,
      '<input autofocus><p></p><script>addEventListener("keydown", ({ key, ctrlKey, shiftKey }) => { document.querySelector("p").textContent += `${key} ${ctrlKey} ${shiftKey};`; });</script>',
    );
    await environment.step([
      "click('input')",
      { type: 'press', keys: ['ctrl', 'f13'] },
      { type: 'keydown', keys: ['shift'] },
      { type: 'press', keys: ['help'] },
      { type: 'keyup', keys: ['shift'] },
      { type: 'press', keys: ['yen'] },
    ]);
    expect(await page()?.locator('p').textContent()).toBe(
      'Control true false;F13 true false;Shift false true;Help false true;¥ false false;',
    );
    expect(await page()?.locator('input').inputValue()).toBe('¥');
  });
});

describe('every function of action strings', () => {
  const html = `<style>div { width: 2000px; height: 2000px }</style>
    <input id=name><input id=tick type=checkbox><input id=file type=file>
    <select id=list><option>a<option>b</select><button id=go>Go</button><button id=ask onclick="prompt('Name?')">Ask</button><a id=to href="#there" draggable=true>To</a><div></div>`;
  const CALLS: Readonly<Record<string, string>> = {
    noop: 'noop(10)',
    send_msg_to_user: "send_msg_to_user('Paris')",
    report_infeasible: "report_infeasible('no such product')",
    scroll: 'scroll(0, 300)',
    fill: "fill('#name', 'Ada', True)",
    check: "check('#tick')",
    uncheck: "uncheck('#tick')",
    select_option: "select_option('#list', ['b'])",
    click: "click('#go', 'right', ['Shift'])",
    dblclick: "dblclick('#go')",
    hover: "hover('#go')",
    press: "press('#name', 'Control+a')",
    focus: "focus('#name')",
    clear: "clear('#name')",
    drag_and_drop: "drag_and_drop('#to', '#go')",
    upload_file: "upload_file('#file', 'a.txt')",
    scroll_at: 'scroll_at(200, 200, 100, 0)',
    mouse_move: 'mouse_move(10, 10)',
    mouse_up: 'mouse_up(10, 10)',
    mouse_down: 'mouse_down(10, 10)',
    mouse_click: "mouse_click(10, 10, 'middle')",
    mouse_dblclick: 'mouse_dblclick(10, 10)',
    mouse_drag_and_drop: 'mouse_drag_and_drop(10, 10, 90, 90)',
    mouse_upload_file: 'mouse_upload_file(X, Y, ["a.txt"])',
    keyboard_down: "keyboard_down('Shift')",
    keyboard_up: "keyboard_up('Shift')",
    keyboard_press: "keyboard_press('Control+A')",
    keyboard_type: "keyboard_type('Ada')",
    keyboard_insert_text: "keyboard_insert_text('Ada')",
    go_back: 'go_back()',
    go_forward: 'go_forward()',
    goto: "goto('about:blank')",
    new_tab: 'new_tab()',
    tab_close: 'tab_close()',
    tab_focus: 'tab_focus(0)',
    response: "response('Paris')",
    type: "type('Ada', True)",
    wait: 'wait(10)',
    move: 'move(10, 10)',
    drag: 'drag([(10, 10), (20, 20), (90, 90)])',
    screenshot: 'screenshot()',
    position: 'position()',
    handle_dialog: "handle_dialog(True, 'Ada')",
  };

  it('is tested, except those of coding tasks', () => {
    const ofCoding = ['run', 'read_file', 'write_file', 'apply_patch'];
    const all = Object.keys({ ...BROWSERGYM_FUNCTIONS, ...TASKWRIGHT_FUNCTIONS }).filter(
      (name) => !ofCoding.includes(name),
    );
    expect(Object.keys(CALLS).sort()).toEqual(all.sort());
  });

  /** Calls after which the next one needs the page anew: they leave it, end the run, or hold a button. */
  const LEAVING =
    /^(go_|goto|new_tab|tab_|mouse_down|mouse_drag|drag|send_msg|report|response|click|dblclick|type|keyboard_press)/;
  let isReady = false;

  it.each(Object.entries(CALLS))('%s is carried out', async (name, call) => {
    if (!isReady) await showing(environment, html, { 'a.txt': 'hello' });
    isReady = !LEAVING.test(name);
    if (name === 'go_forward') await environment.step(["click('#to')", 'go_back()']);
    if (name === 'go_back') await environment.step(["click('#to')"]);
    const box = (await page()?.locator('#file').boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const written = call
      .replace('X', String(Math.round(box.x + 20)))
      .replace('Y', String(Math.round(box.y + box.height / 2)));
    if (name === 'handle_dialog') await environment.step(["click('#ask')"]);
    const { error, info } = await environment.step([written]);
    expect(error).toBeNull();
    expect(info.acted).toHaveLength(1);
  });

  it('of tabs works with three of them', async () => {
    await showing(environment, '<title>first</title>');
    const titles = async (...actions: string[]) => (await environment.step(actions)).info.title;
    expect(await titles('new_tab()')).toBe('');
    expect(await titles('new_tab()', 'tab_focus(0)')).toBe('first');
    expect(await titles('tab_close()')).toBe('');
    expect((await environment.step(['tab_focus(2)'])).error?.code).toBe('tab_missing');
    await environment.step(['goto("about:blank#second")', 'new_tab()', 'goto("about:blank#third")']);
    // The newest comes to the front, not the one that was there before.
    const { url } = (await environment.step(['tab_focus(0)', 'tab_focus(1)', 'tab_close()'])).info;
    expect(url).toBe('about:blank#third');
    await environment.step(['tab_close()', 'new_tab()']);
    expect(await titles('tab_close()', 'tab_close()')).toBe('');
    expect(page()?.url()).toBe('about:blank');
  });
});

describe('the recorded target of an action', () => {
  it('is the box of its element, even if the click removes it', async () => {
    await showing(
      environment,
      '<button style="margin: 50px; width: 80px; height: 30px" onclick="this.remove()">Go</button>',
    );
    const { info } = await environment.step(["click('button')"]);
    expect(info.acted?.[0]).toMatchObject({ box: { x: 58, y: 58, width: 80, height: 30 }, element: 'button “Go”' });
  });

  it('is the box where the click finds it, when it has to be scrolled to', async () => {
    await showing(
      environment,
      '<div style="height: 3000px"></div><button style="width: 80px; height: 30px">Go</button>',
    );
    const { info } = await environment.step(["click('button')"]);
    const { box, point } = info.acted?.[0] ?? {};
    expect(box?.y).toBeGreaterThan(0);
    expect(box?.y).toBeLessThan(info.viewport?.height ?? 0);
    expect(point?.y).toBeCloseTo((box?.y ?? 0) + 15);
  });

  it('is the path of a drag', async () => {
    await showing(
      environment,
      '<p id=a style="width: 100px; height: 20px">a</p><p id=b style="width: 100px; height: 20px">b</p>',
    );
    const [by, at] = await Promise.all([
      environment.step(["drag_and_drop('#a', '#b')"]),
      environment.step([
        {
          type: 'drag',
          path: [
            { x: 1, y: 2 },
            { x: 30, y: 40 },
            { x: 50, y: 60 },
          ],
          pattern: [1, 1],
        },
      ]),
    ]);
    expect(by.info.acted?.[0]?.path).toHaveLength(2);
    expect(at.info.acted?.[0]?.path).toEqual([
      { x: 1, y: 2 },
      { x: 30, y: 40 },
      { x: 50, y: 60 },
    ]);
  });
});

describe('an agent with another resolution', () => {
  it('acts at the intended position', async () => {
    await showing(
      environment,
      '<body style="margin: 0"><p></p><script>for (const type of ["click", "wheel"]) addEventListener(type, (event) => { document.querySelector("p").textContent += type === "click" ? `${event.x},${event.y};` : `${event.deltaY};`; });</script>',
    );
    const { width, height } = (await environment.step([])).info.viewport ?? { width: 0, height: 0 };
    const screen = { width: width * 2, height: height * 4 };
    await environment.step(
      [{ type: 'click', point: { x: 301, y: 403 } }, 'mouse_click(20, 40)', 'scroll(0, 400)'],
      screen,
    );
    expect(await page()?.locator('p').textContent()).toBe('150,100;10,10;100;');
  });
});
