import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BrowserEnvironment } from '../../../src/environments/browser/environment.ts';
import { repeatedSample } from '../../sample.ts';
import { launch, PATIENT, SOON, showing } from './stage.ts';

let browser: Browser;
let environment: BrowserEnvironment;
/** Gives up soon on actions that cannot succeed. */
let impatient: BrowserEnvironment;

beforeAll(async () => {
  browser = await launch();
  environment = new BrowserEnvironment({ browser: async () => browser, log: console.log }, PATIENT);
  impatient = new BrowserEnvironment({ browser: async () => browser, log: console.log }, SOON);
});
afterEach(() => expect(browser.contexts().length).toBeLessThanOrEqual(3));
afterAll(async () => {
  await environment.close();
  await impatient.close();
  expect(browser.contexts()).toHaveLength(0);
  await browser.close();
});

const LOG =
  '<p id=log style="position:fixed;bottom:0"></p><script>const log = (text) => { document.querySelector("#log").textContent += text + ";"; };</script>';

/** Shows a page, takes actions, and returns what the page logged. */
async function does(html: string, ...actions: (string | { type: string; [key: string]: unknown })[]): Promise<string> {
  await showing(environment, LOG + html);
  const result = await environment.step(actions);
  expect(result.error).toBeNull();
  return (await environment.functionContext().page?.locator('#log').textContent()) ?? '';
}

describe('an agent', () => {
  const button =
    '<button onclick="log(\'click\')" ondblclick="log(\'double\')" oncontextmenu="log(\'menu\')">Buy</button>';

  it('clicks by selector, by id and at a point', async () => {
    expect(await does(button, "click('button')")).toBe('click;');
    const start = await showing(environment, LOG + button);
    const bid = /\[(\d+)\] button 'Buy'/.exec(start.observation.text ?? '')?.[1];
    const click = await environment.step([`click('${bid}')`]);
    const [action] = click.info.acted ?? [];
    expect(action).toMatchObject({ element: 'button “Buy”', bid, box: { width: expect.any(Number) } });
    const point = { x: Math.round(action?.point?.x ?? 0), y: Math.round(action?.point?.y ?? 0) };
    expect((await environment.step([{ type: 'click', point }])).error).toBeNull();
    expect(await environment.functionContext().page?.locator('#log').textContent()).toBe('click;click;');
  });

  it('finds an element in a frame if the selector matches none in the page', async () => {
    const frame = (id: string) => `<iframe srcdoc="<input id=${id}><input class=both>"></iframe>`;
    await showing(environment, `${frame('inner')}<input id=outer class=both>`);
    const page = environment.functionContext().page;
    await expect.poll(() => page?.frames()[1]?.locator('#inner').count()).toBe(1);
    expect((await environment.step(["fill('#inner', 'Ada')", "fill('.both', 'own')"])).error).toBe(null);
    expect(await page?.frames()[1]?.locator('#inner').inputValue()).toBe('Ada');
    expect(await page?.locator('#outer').inputValue()).toBe('own');
  });

  it('clicks twice, with the right button, and with keys held', async () => {
    expect(await does(button, "dblclick('button')")).toBe('click;click;double;');
    expect(await does(button, "click('button', button='right')")).toBe('menu;');
    const keys = '<button onclick="log(event.shiftKey + \' \' + event.ctrlKey)">Buy</button>';
    expect(await does(keys, "click('button', modifiers=['Shift'])", "click('button')")).toBe('true false;false false;');
  });

  it('fills, types, and presses keys, and records the resulting value', async () => {
    const field = '<input id=name onkeydown="log(event.key)">';
    expect(
      await does(field, "fill('#name', 'Ada')", "press('#name', 'Backspace')", {
        type: 'type',
        text: 'm',
        enter_after: true,
      }),
    ).toBe('Backspace;m;Enter;');
    const context = environment.functionContext();
    expect(context.actions.map(({ typed }) => typed)).toEqual(['Ada', 'Ad', 'Adm']);
    expect(await context.page?.inputValue('#name')).toBe('Adm');
    expect(await Promise.all(context.actions.map((action) => action.matches('input#name')))).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('selects, checks, hovers, focuses and clears', async () => {
    const form = `<select onchange="log(value)"><option value=s>Small</option><option value=m>Medium</option></select>
      <input type=checkbox onchange="log(checked)"><a href="#" onmouseover="log('over')">x</a><input id=t value=v onfocus="log('focus')">`;
    expect(
      await does(
        form,
        "select_option('select', 'Medium')",
        "check('[type=checkbox]')",
        "hover('a')",
        "focus('#t')",
        "clear('#t')",
      ),
    ).toBe('m;true;over;focus;');
    expect(await environment.functionContext().page?.inputValue('#t')).toBe('');
  });

  it('drags elements and along points', async () => {
    const boxes = `<div id=a style="width:50px;height:50px" onmousedown="log('down')">a</div><div id=b style="width:50px;height:50px" onmouseup="log('up')">b</div>`;
    expect(await does(boxes, "drag_and_drop('#a', '#b')")).toBe('down;up;');
    const path = [10, 70].map((y) => ({ x: 20, y: y + 40 }));
    expect(
      await does(`<div style="position:absolute;top:0;left:0">${boxes}</div>`, {
        type: 'drag',
        path: path.map(({ x, y }) => ({ x, y: y - 40 })),
      }),
    ).toBe('down;up;');
  });

  it('scrolls, and takes the screenshot when scrolling has ended', async () => {
    await showing(environment, '<div style="height:5000px">long</div>');
    const { info, error } = await environment.step(['scroll(0, 300)']);
    expect(error).toBeNull();
    expect(info.acted?.[0]).toMatchObject({ scroll: { x: 0, y: 300 }, point: { x: 0, y: 0 } });
    expect(await environment.functionContext().page?.evaluate(() => window.scrollY)).toBe(300);
  });

  it('uploads files with the types that their names have in a browser', async () => {
    const html = `<input type=file multiple onchange="document.title = [...this.files].map((file) => file.type)">`;
    await showing(environment, html, {
      ...{ 'a.csv': 'x', 'b.png': 'x', 'c.pdf': 'x', 'd.txt': 'x', 'e.json': 'x' },
      ...{ 'f.unknown': 'x', g: 'x' },
    });
    const { info, error } = await environment.step([
      "upload_file('input', ['a.csv', 'b.png', 'c.pdf', 'd.txt', 'e.json', 'f.unknown', 'g'])",
    ]);
    expect(error).toBeNull();
    expect(info.title).toBe('text/csv,image/png,application/pdf,text/plain,application/json,,');
  });

  it('uploads a file of the task folder, but no withheld file', async () => {
    const html = '<input type=file onchange="files[0].text().then((text) => { document.title = text; })">';
    await showing(environment, html, { 'notes.txt': 'my notes', 'shop.task.json': '{}' });
    expect((await environment.step(["upload_file('input', 'notes.txt')", 'noop(50)'])).info.title).toBe('my notes');
    for (const path of ['shop.task.json', '/etc/passwd', '../x']) {
      expect((await environment.step([`upload_file('input', '${path}')`])).error?.code).toBe('upload_refused');
    }
  });

  it('responds; the last response counts and the run continues', async () => {
    await showing(environment, '<p>x</p>');
    expect(await environment.step(["send_msg_to_user('one')"])).toMatchObject({
      terminated: false,
      info: { response: 'one' },
    });
    await environment.step([{ type: 'response', text: 'two' }]);
    expect(environment.functionContext().response).toBe('two');
  });

  it('waits for the result of a click: the next document and requests of the page', async () => {
    await showing(environment, '<a href="next.html">next</a>', {
      'next.html':
        '<title>Next</title><button onclick="fetch(\'data.json\').then((r) => r.json()).then((d) => { document.title = d.title; })">go</button>',
      'data.json': '{"title":"Fetched"}',
    });
    const next = await environment.step(["click('a')"]);
    expect(next.info).toMatchObject({ title: 'Next', url: 'http://task.localhost/next.html' });
    expect((await environment.step(["click('button')"])).info.title).toBe('Fetched');
    expect((await environment.step(['go_back()'])).info.url).toBe('http://task.localhost/');
    expect((await environment.step(['go_forward()'])).info.url).toBe('http://task.localhost/next.html');
    expect((await environment.step(['go_forward()'])).error).toEqual({
      code: 'no_history',
      message: 'there is no page to go forward to',
    });
  });
});

describe('a failed action is explained', () => {
  it.each(
    repeatedSample([
      [
        '<button id=buy>x</button>',
        "click('#boy')",
        'element_missing',
        'no element matches `#boy`; did you mean `#buy`?',
      ],
      ['<p>x</p>', "click('31')", 'element_missing', 'the last observation has no element with the id 31'],
      ['<p>x</p>', "click('p >')", 'invalid_selector', /^`p >` cannot be read as a selector: /],
      ['<button id=buy hidden>x</button>', "click('#buy')", 'element_hidden', '`#buy` is not visible'],
      ['<button id=buy disabled>x</button>', "click('#buy')", 'element_disabled', '`#buy` is disabled'],
      ['<input id=f readonly>', "fill('#f', 'x')", 'element_readonly', '`#f` is read-only'],
      ['<p id=f>x</p>', "fill('#f', 'x')", 'not_a_field', '`#f` is not a field that can be filled'],
      ['<input id=f type=date>', "fill('#f', '1/2/2030')", 'malformed_value', /^`#f` does not take /],
      [
        '<select id=s><option>Small</option><option>Large</option></select>',
        "select_option('#s', 'Huge')",
        'option_missing',
        '`#s` has no option “Huge”; there are “Small” and “Large”',
      ],
      [
        '<select id=s><option>New&nbsp;York</option></select>',
        "select_option('#s', 'New York')",
        'option_missing',
        '`#s` has no option “New York”; there is “New York”: character 4 is U+00A0 NO-BREAK SPACE, expected a space',
      ],
      [
        '<select id=s><option>Small</option><option disabled>Large</option></select>',
        "select_option('#s', 'Large')",
        'option_disabled',
        '“Large” in `#s` is disabled',
      ],
      [
        '<select id=s><optgroup label=x disabled><option>A<option>B</optgroup><option>C</select>',
        "select_option('#s', ['A', 'B'])",
        'option_disabled',
        '“A” and “B” in `#s` are disabled',
      ],
      ['<p id=s>x</p>', "select_option('#s', 'x')", 'not_a_list', '`#s` is not a list of options'],
      ['<p>x</p>', 'tab_focus(3)', 'tab_missing', 'there is no tab 3; there is only tab 0'],
      ['<p>x</p>', 'jump()', 'unknown_action', /jump/],
      ['<p>x</p>', 'nothing to do', 'empty_action', /./],
      [
        '<p>x</p>',
        "goto('missing.html')",
        'page_file_missing',
        '`missing.html` cannot be opened: the file missing.html does not exist next to the task',
      ],
      [
        '<p>x</p>',
        "goto('http://nowhere.invalid')",
        'page_not_loaded',
        /^http:\/\/nowhere.invalid\/ could not be opened: /,
      ],
    ]),
  )('%s %s', async (html, action, code, message) => {
    await showing(impatient, html);
    const { error, observation } = await impatient.step([action]);
    expect(error).toEqual({ code, message: typeof message === 'string' ? message : expect.stringMatching(message) });
    expect(observation.text).toMatch(/^RootWebArea/);
  });

  it('with an element of a frame that is meant', async () => {
    await showing(impatient, '<iframe srcdoc="<input id=inner>"></iframe>');
    const page = impatient.functionContext().page;
    await expect.poll(() => page?.frames()[1]?.locator('#inner').count()).toBe(1);
    expect((await impatient.step(["click('#iner')"])).error?.message).toContain('did you mean `#inner`?');
  });

  it('and names the element that covers its target, even on a page that responds slowly', async () => {
    const limits = { ...PATIENT, action: 5000 };
    const patient = new BrowserEnvironment({ browser: async () => browser, log: console.log }, limits);
    try {
      await showing(patient, '<button id=buy>x</button><div id=cover style="position:fixed;inset:0">wait</div>');
      // It is slow until Playwright clicks.
      await patient.functionContext().page?.evaluate(() => {
        const until = Date.now() + 3000;
        const slow = setInterval(() => {
          for (const end = Date.now() + 200; Date.now() < end; );
          if (Date.now() > until) clearInterval(slow);
        });
      });
      const { error } = await patient.step(["click('#buy')"]);
      expect(error).toEqual({ code: 'element_covered', message: '`#buy` is covered by <div id="cover">' });
    } finally {
      await patient.close();
    }
  });

  it('and skips the actions after it', async () => {
    await showing(impatient, '<title>a</title><button onclick="document.title += \'b\'">x</button>');
    const { error, info } = await impatient.step(["click('button')\nclick('#no')\nclick('button')", "click('button')"]);
    expect(error?.code).toBe('element_missing');
    expect(info.title).toBe('ab');
    expect(impatient.functionContext().actions.map((action) => action.error === null)).toEqual([true, false]);
  });

  it('a removed element is not confused with another', async () => {
    const start = await showing(environment, '<button onclick="this.remove()">x</button>');
    const bid = /\[(\d+)\] button/.exec(start.observation.text ?? '')?.[1];
    await environment.functionContext().page?.evaluate(() => document.querySelector('button')?.remove());
    expect((await environment.step([`click('${bid}')`])).error).toEqual({
      code: 'element_gone',
      message: `element [${bid}] is no longer on the page; look at the observation again`,
    });
  });
});
