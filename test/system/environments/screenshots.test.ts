import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { LIMITS } from '../../../src/environments/browser/limits.ts';
import { Live } from '../../../src/environments/browser/live/live-view.ts';
import { takePicture } from '../../../src/environments/browser/observing/screenshot.ts';
import { Tab } from '../../../src/environments/browser/pages/tab.ts';
import type { Picture } from '../../../src/environments/environment.ts';
import { pixelRows } from '../../../src/serving/pixels.ts';
import { launch } from './stage.ts';

/** The size and the scale of MiniWoB++. */
const VIEWPORT = { width: 332, height: 214 };
const SCALE = 1.5;
const SCALED = { width: 498, height: 321 };

const PAGE = `<style>body { margin: 0; font: 13px sans-serif } div { border: 1px solid; width: 161px; height: 200px }</style>
  <div>Enter a name<br><input value="Ana"> <button>Submit</button></div>`;

/** What a page can learn of its window. */
const WINDOW = `[innerWidth, innerHeight, outerWidth, outerHeight, devicePixelRatio, visualViewport.width,
  visualViewport.height, document.documentElement.clientWidth, document.documentElement.clientHeight].join()`;

let browser: Browser;
let context: BrowserContext;
let page: Page;
let tab: Tab;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());
beforeEach(async () => {
  context = await browser.newContext({ viewport: VIEWPORT, deviceScaleFactor: 1 });
  page = await context.newPage();
  await page.setContent(PAGE);
  tab = await Tab.open(page, true);
});
afterEach(() => context.close());

async function pixels(picture: Picture): Promise<string> {
  return String(await pixelRows(picture));
}

/** The pixels of the page as BrowserGym takes them: the scale is set, and the browser resizes its view for the screenshot. */
async function takeReference(): Promise<string> {
  const other = await browser.newContext({ viewport: VIEWPORT, deviceScaleFactor: 1 });
  try {
    const otherPage = await other.newPage();
    await otherPage.setContent(await page.content());
    const cdp = await other.newCDPSession(otherPage);
    const metrics = { ...VIEWPORT, deviceScaleFactor: SCALE, mobile: false };
    await cdp.send('Emulation.setDeviceMetricsOverride', metrics);
    const { data } = await cdp.send('Page.captureScreenshot', { format: 'png' });
    return await pixels({ type: 'png', data: Buffer.from(data, 'base64'), ...SCALED });
  } finally {
    await other.close();
  }
}

it('shows a page with another scale, and the page does not learn of it', async () => {
  const before = await page.evaluate(WINDOW);
  const first = await takePicture(tab, LIMITS, SCALE);
  expect(first).toMatchObject(SCALED);
  const reference = await takeReference();
  expect((await pixels(first)) === reference).toBe(true);
  const second = await takePicture(tab, LIMITS, SCALE);
  expect((await pixels(second)) === reference).toBe(true);
  await page.evaluate(() => document.querySelector('input')?.setAttribute('value', 'Ben'));
  const third = await takePicture(tab, LIMITS, SCALE);
  expect((await pixels(third)) === (await takeReference())).toBe(true);
  expect(await page.evaluate(WINDOW)).toBe(before);
  const hit = page.evaluate(
    () => new Promise((resolve) => addEventListener('click', ({ x, y, target }) => resolve([x, y, String(target)]))),
  );
  const { x, y, width, height } = (await page.locator('button').boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const middle = [Math.round(x + width / 2), Math.round(y + height / 2)] as const;
  await page.mouse.click(...middle);
  expect(await hit).toEqual([...middle, '[object HTMLButtonElement]']);
});

it('shows the same in screenshots that are requested while others are taken', async () => {
  const reference = await takeReference();
  for (let round = 0; round < 15; round++) {
    const early = takePicture(tab, LIMITS, SCALE);
    // As long as an action takes to settle.
    await page.evaluate(() => true);
    const pictures = await Promise.all([early, takePicture(tab, LIMITS, SCALE)]);
    for (const picture of pictures) expect((await pixels(picture)) === reference).toBe(true);
  }
});

it('gives a live view the page alone, and screenshots are right meanwhile and later', async () => {
  const reference = await takeReference();
  expect((await pixels(await takePicture(tab, LIMITS, SCALE))) === reference).toBe(true);
  let onFrame: (frame: Picture) => void = () => undefined;
  const live = new Live(
    (frame) => onFrame(frame),
    (problem) => expect.fail(problem),
  );
  const next = (): Promise<Picture> =>
    new Promise((resolve) => {
      onFrame = resolve;
    });
  const firstFrame = next();
  await live.follow(tab);
  expect(await firstFrame).toMatchObject({ type: 'jpg', ...VIEWPORT });
  expect((await pixels(await takePicture(tab, LIMITS, SCALE))) === reference).toBe(true);
  await live.stop();
  for (let round = 0; round < 2; round++) {
    expect((await pixels(await takePicture(tab, LIMITS, SCALE))) === reference).toBe(true);
  }
});
