import type { Browser, Frame } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BrowserEnvironment } from '../../../src/environments/browser/environment.ts';
import { launch, SOON, serve, showing } from './stage.ts';

/** A frame of another site, which has a process of its own. */
const FRAME = `<script>document.write('<iframe src="http://localhost:' + location.port + '/calm"></iframe>')</script>`;
const DOES_NOT_RESPOND = 'the page does not respond: one of its scripts does not end';

let browser: Browser;
let site: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  browser = await launch();
  site = await serve({ '/calm': { body: '<h1>Calm</h1>' }, '/framed': { body: FRAME } });
});
afterAll(async () => {
  await browser.close();
  await site.close();
});

/** An environment whose agent has done this. */
async function after(action: string): Promise<BrowserEnvironment> {
  const environment = new BrowserEnvironment({ browser: async () => browser, log: console.log }, SOON);
  await showing(environment, '<h1>Shop</h1>');
  expect((await environment.step([action])).error).toBeNull();
  return environment;
}

/** Starts an endless loop in a frame. */
async function block(frame: Frame | undefined): Promise<void> {
  await frame?.evaluate(() => {
    setTimeout(() => {
      for (;;);
    });
  });
}

it.each([['noop()'], ["goto('about:blank')"], ["goto('{site}/framed')"]])(
  'a page that responds is not stuck after %s',
  async (action) => {
    const environment = await after(action.replace('{site}', site.url));
    expect(await environment.whyStuck()).toBeNull();
    await environment.close();
  },
);

it('a page whose script does not end is stuck, and the reason says whether the agent opened it', async () => {
  const own = await after('noop()');
  await block(own.functionContext().page?.mainFrame());
  expect(await own.whyStuck()).toBe(DOES_NOT_RESPOND);
  const visiting = await after(`goto('${site.url}/calm')`);
  await block(visiting.functionContext().page?.mainFrame());
  expect(await visiting.whyStuck()).toBe(`the page that the agent opened could not be read in time: ${site.url}/calm`);
});

it('a page is stuck if a frame of another site does not respond', async () => {
  const environment = await after(`goto('${site.url}/framed')`);
  await block(environment.functionContext().page?.frames()[1]);
  expect(await environment.whyStuck()).toContain('could not be read in time');
});
