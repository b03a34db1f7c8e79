import type { Browser, Frame } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { BrowserEnvironment } from '../../../src/environments/browser/environment.ts';
import { needsPosix } from '../../systems.ts';
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

/** Starts an endless loop in a frame, which takes processor time from other tests until its page is closed. */
async function block(frame: Frame | undefined): Promise<void> {
  onTestFinished(async () => frame?.page().context().close());
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
  expect(await visiting.whyStuck()).toBe(`a script of the page that the agent opened does not end: ${site.url}/calm`);
});

/** Stops the processes of all pages: they do not respond, and no script runs. */
async function freeze(): Promise<() => void> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const renderers = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
  expect(renderers).not.toEqual([]);
  for (const pid of renderers) process.kill(pid, 'SIGSTOP');
  return () => {
    for (const pid of renderers) process.kill(pid, 'SIGCONT');
  };
}

it.skipIf(needsPosix('a page that does not respond although no script runs'))(
  'a page that does not respond although no script runs is not stuck, and is not said to have an endless loop',
  async () => {
    const environment = await after(`goto('${site.url}/calm')`);
    const resume = await freeze();
    try {
      expect(await environment.whyStuck()).toBeNull();
      const { error } = await environment.observe();
      expect(error).toEqual({
        code: 'page_unreadable',
        message: expect.stringMatching(
          /^the page cannot be observed: .* It may be too large, or the machine too busy\.$/,
        ),
      });
    } finally {
      resume();
    }
    await environment.close();
  },
);

it('a page is stuck if a frame of another site does not respond', async () => {
  const environment = await after(`goto('${site.url}/framed')`);
  await block(environment.functionContext().page?.frames()[1]);
  expect(await environment.whyStuck()).toContain('does not end');
});
