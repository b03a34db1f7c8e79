import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BrowserEnvironment } from '../../../src/environments/browser/environment.ts';
import { LIMITS } from '../../../src/environments/browser/limits.ts';
import { everyThird } from '../../sample.ts';
import { launch, PATIENT, serve, showing } from './stage.ts';

let browser: Browser;
let environment: BrowserEnvironment;
/** Gives up on actions that cannot succeed after the usual time. */
let impatient: BrowserEnvironment;
let site: Awaited<ReturnType<typeof serve>>;

beforeAll(async () => {
  browser = await launch();
  environment = new BrowserEnvironment({ browser: async () => browser, log: console.log }, PATIENT);
  impatient = new BrowserEnvironment({ browser: async () => browser, log: console.log }, LIMITS);
  site = await serve({ '/inner.html': { body: INNER } });
});
afterAll(async () => {
  await environment.close();
  await impatient.close();
  await browser.close();
  await site.close();
});

/** A page for a frame. It notes what is clicked. */
const INNER = `<!doctype html><style>body { margin: 0 } button, input { position: absolute; padding: 0; margin: 0 }</style>
<button id=pay style="left: 120px; top: 60px; width: 60px; height: 20px">Pay</button>
<input id=terms type=checkbox style="left: 220px; top: 120px">
<button id=far style="left: 30px; top: 900px">Far</button>
<script>
  const types = ['click', 'dblclick', 'contextmenu', 'mouseenter'];
  const notes = [];
  for (const type of types) addEventListener(type, (event) => event.target.id && notes.push(type + ' ' + event.target.id), true);
</script>`;

const srcdoc = (html: string): string => `srcdoc="${html.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`;
const frame = (style: string, html = INNER): string =>
  `<iframe ${srcdoc(html)} style="width: 400px; height: 250px; ${style}"></iframe>`;

/** Layouts of a frame that are not the same pixels as the tab, by name. */
const LAYOUTS: Readonly<Record<string, () => string>> = {
  'zoomed out': () => frame('zoom: .7'),
  'zoomed in': () => frame('zoom: 1.5'),
  'zoomed, with borders and padding': () => frame('zoom: .7; border: 10px solid; padding: 3px 5px 7px 9px'),
  'zoomed, with its size including borders': () => frame('zoom: .7; border: 12px solid; box-sizing: border-box'),
  'zoomed, with a margin': () => frame('zoom: .6; margin: 80px 0 0 150px'),
  'in a zoomed element': () => `<div style="zoom: .7">${frame('')}</div>`,
  'in a zoomed page': () => `<style>html { zoom: .8 }</style>${frame('')}`,
  'zoomed, with a zoomed page': () => frame('zoom: .7', `<style>html { zoom: .8 }</style>${INNER}`),
  'zoomed, in another zoomed frame': () => frame('zoom: .9', frame('zoom: .8; border: 3px solid')),
  'zoomed, in another frame': () => frame('', frame('zoom: .7')),
  'in a zoomed frame': () => frame('zoom: .7', frame('')),
  scaled: () => frame('transform: scale(.7); transform-origin: 0 0'),
  'scaled and zoomed': () => frame('transform: scale(.7); zoom: .8; transform-origin: 0 0'),
  'scaled by a property': () => frame('scale: .6 .9; zoom: 1.2'),
  rotated: () => frame('transform: rotate(20deg); margin: 60px'),
  'rotated and zoomed': () => frame('rotate: -25deg; zoom: .7; margin: 80px'),
  'skewed and zoomed': () => frame('transform: skewX(15deg); zoom: .7; margin: 80px'),
  'zoomed, in a shadow root': () =>
    `<div id=host></div><script>host.attachShadow({ mode: 'open' }).innerHTML = ${JSON.stringify(`<div style="zoom:.7">${frame('')}</div>`).replaceAll('</', '<\\/')}</script>`,
  'zoomed, far below': () => `<div style="height: 2000px"></div>${frame('zoom: .7')}`,
  'zoomed, of another site': () =>
    `<iframe src="${site.url}/inner.html" style="zoom: .7; width: 400px; height: 250px"></iframe>`,
};

/** Shows a page, and resolves with its innermost frame once that is loaded. */
async function show(html: string, where = environment) {
  await showing(where, html);
  const page = where.functionContext().page;
  await expect.poll(() => page?.frames().at(-1)?.locator('#pay').count()).toBe(1);
  const inner = page?.frames().at(-1);
  return { notes: () => inner?.evaluate<string[]>('notes.splice(0)') };
}

describe('In a frame, an action of the mouse lands', () => {
  it.each(everyThird(Object.entries(LAYOUTS)))('%s', async (_name, html) => {
    const { notes } = await show(`<!doctype html><body style="margin: 8px">${html()}`);
    const { observation } = await environment.step(['scroll(0, 0)']);
    const bid = /\[(\w+)\] button 'Pay'/.exec(observation.text ?? '')?.[1];
    const { error, info } = await environment.step([`click('${bid}')`]);
    expect(error).toBeNull();
    expect(await notes()).toEqual(['click pay']);

    // The step names the point and the box of the element in the tab.
    const { x = 0, y = 0 } = info.acted?.[0]?.point ?? {};
    const { width = 0, height = 0 } = info.acted?.[0]?.box ?? {};
    expect(width * height).toBeGreaterThan(60 * 20 * 0.3);
    expect(width * height).toBeLessThan(60 * 20 * 2.5);
    const point = { x: Math.round(x), y: Math.round(y) };
    const atPoint = await environment.step([{ type: 'click', point }]);
    expect(atPoint.error).toBeNull();
    expect(atPoint.info.acted?.[0]?.element).toBe('button “Pay”');
    expect(await notes()).toEqual(['click pay']);

    const actions = ["dblclick('#pay')", "click('#pay', button='right')", "check('#terms')", "check('#terms')"];
    for (const action of actions) expect((await environment.step([action])).error).toBeNull();
    expect(await notes()).toEqual([...['click pay', 'click pay', 'dblclick pay', 'contextmenu pay', 'click terms']]);
    expect((await environment.step(["click('#far')"])).error).toBeNull();
    expect(await notes()).toEqual(['click far']);
  });
});

it('In a zoomed frame, an element under a fixed header is scrolled to where it is not covered', async () => {
  const header = '<div style="position: fixed; top: 0; width: 100%; height: 100px; background: #ccc">Shop</div>';
  const { notes } = await show(frame('zoom: .7', `${INNER}${header}<div style="height: 2000px"></div>`));
  await environment.functionContext().page?.frames().at(-1)?.evaluate('scrollTo(0, 880)');
  expect((await environment.step(["click('#far')"])).error).toBeNull();
  expect(await notes()).toEqual(['click far']);
});

describe('In a zoomed frame, an action of the mouse fails', () => {
  it('if the element is covered in its page', async () => {
    const cover = '<div id=cover style="position: absolute; inset: 0"></div>';
    const { notes } = await show(frame('zoom: .7', INNER + cover), impatient);
    const { error } = await impatient.step(["click('#pay')"]);
    expect(error).toMatchObject({ code: 'element_covered', message: expect.stringContaining('<div id="cover"') });
    expect(await notes()).toEqual([]);
  });

  it('if the frame is covered', async () => {
    const cover = '<div id=cover style="position: fixed; inset: 0"></div>';
    const { notes } = await show(frame('transform: rotate(10deg); zoom: .7') + cover, impatient);
    const { error } = await impatient.step(["hover('#pay')"]);
    expect(error).toMatchObject({ code: 'element_covered', message: expect.stringContaining('<div id="cover"') });
    expect(await notes()).toEqual([]);
  });

  it('if the frame is only moved, and covered', async () => {
    const cover = '<div id=cover style="position: fixed; inset: 0"></div>';
    const { notes } = await show(frame('transform: translate(20px, 10px)') + cover, impatient);
    const { error } = await impatient.step(["click('#pay')"]);
    expect(error).toMatchObject({ code: 'element_covered', message: expect.stringContaining('<div id="cover"') });
    expect(await notes()).toEqual([]);
  });

  it('if the element is disabled', async () => {
    const { notes } = await show(
      frame('zoom: .7', INNER.replace('<button id=pay', '<button disabled id=pay')),
      impatient,
    );
    expect((await impatient.step(["click('#pay')"])).error).toMatchObject({ code: 'element_disabled' });
    expect(await notes()).toEqual([]);
  });
});
