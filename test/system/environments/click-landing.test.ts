import { type Browser, errors, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BrowserEnvironment } from '../../../src/environments/browser/environment.ts';
import { LIMITS } from '../../../src/environments/browser/limits.ts';
import { caseCount, repeatedSample } from '../../sample.ts';
import { type Layout, layoutOf } from './click-layouts.ts';
import { launch, showing } from './stage.ts';

/** So long, in ms, an element may take that is never ready. */
const TIMEOUT = 1000;

let browser: Browser;
let environment: BrowserEnvironment;
/** Where Playwright itself clicks. */
let page: Page;

beforeAll(async () => {
  browser = await launch();
  const tools = { browser: async () => browser, log: () => undefined, miniwob: async () => '' };
  environment = new BrowserEnvironment(tools, { ...LIMITS, action: TIMEOUT });
  await showing(environment, START);
  page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  await page.route('**', (route) => route.fulfill({ contentType: 'text/html', body: START }));
  await page.goto('http://task.localhost/');
  // As in the pages of an environment.
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setScrollbarsHidden', { hidden: true });
});
afterAll(async () => {
  await environment.close();
  await browser.close();
});

const START = `<!doctype html><body><main></main><script>
  const types = ['pointerdown', 'pointerup', 'mousedown', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu'];
  for (const type of types) addEventListener(type, (event) => {
    heard.push([type, event.clientX.toFixed(1), event.clientY.toFixed(1), event.target.id || event.target.localName, event.isTrusted].join(' '));
    if (type === 'pointerdown') landed.push([event.clientX, event.clientY]);
  }, true);
  // A link that is clicked with the middle button opens a tab.
  addEventListener('auxclick', (event) => event.preventDefault());
  function lay(html) {
    scrollTo(0, 0);
    history.replaceState(null, '', location.pathname);
    document.activeElement?.blur();
    document.querySelector('main').innerHTML = html;
    heard = [];
    landed = [];
  }
</script>`;

interface Landing {
  readonly heard: readonly string[];
  readonly landed: readonly (readonly [number, number])[];
}

const read = (on: Page): Promise<Landing> => on.evaluate('({ heard, landed })');

async function ours(on: Page, { html, button, twice }: Layout) {
  await on.evaluate(`lay(${JSON.stringify(html)})`);
  const action = `${twice ? 'dblclick' : 'click'}('#t', button='${button}')`;
  const { error, info } = await environment.step([action]);
  return { ...(await read(on)), failed: error !== null, point: info.acted?.[0]?.point ?? null };
}

async function theirs({ html, button, twice }: Layout) {
  await page.evaluate(`lay(${JSON.stringify(html)})`);
  try {
    await page.locator('#t')[twice ? 'dblclick' : 'click']({ button, timeout: TIMEOUT });
    return { ...(await read(page)), failed: false };
  } catch (error) {
    if (!(error instanceof errors.TimeoutError)) throw error;
    return { ...(await read(page)), failed: true };
  }
}

/** How a click on a layout differs from Playwright's; null if it does not. */
async function difference(acting: Page, layout: Layout): Promise<unknown> {
  const [own, reference] = await Promise.all([ours(acting, layout), theirs(layout)]);
  const [x = Number.NaN, y = Number.NaN] = own.landed.at(0) ?? [];
  const isReported =
    own.failed || (own.point !== null && Math.abs(own.point.x - x) < 1 && Math.abs(own.point.y - y) < 1);
  const same =
    own.failed === reference.failed && (own.failed || JSON.stringify(own.heard) === JSON.stringify(reference.heard));
  return same && isReported ? null : { ...layout, own, reference };
}

/** How often a layout is clicked: a busy machine may not click within the time limit, and differs only then. */
const TRIES = 3;

/** How the clicks on layouts differ from Playwright's. */
async function differences(first: number, count: number): Promise<unknown[]> {
  const acting = environment.functionContext().page as Page;
  const different: unknown[] = [];
  for (let seed = first; seed < first + count; seed++) {
    let lastDifference: unknown = null;
    for (let tries = 0; tries < TRIES; tries++) {
      lastDifference = await difference(acting, layoutOf(seed));
      if (lastDifference === null) break;
    }
    if (lastDifference !== null) different.push({ seed, difference: lastDifference });
  }
  return different;
}

/** Layouts in each test. */
const BLOCK = 50;
const blocks = Array.from({ length: caseCount(1, 40) }, (_, index) => index * BLOCK + 1);

it.each(repeatedSample(blocks))(
  'a click lands where Playwright’s does, is heard the same, and is reported there: layouts from %i',
  async (first) => {
    expect(await differences(first, BLOCK)).toEqual([]);
  },
  300_000,
);

// A scaled box that scrolls by less than its scale, and a turned fieldset whose middle is 0.01 pixels from the next pixel.
it.each([932, 1810])('a click lands where Playwright’s does: layout %i', async (seed) => {
  expect(await differences(seed, 1)).toEqual([]);
});
