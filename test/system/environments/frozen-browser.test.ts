import { afterAll, beforeAll, expect, it } from 'vitest';
import { BrowserEnvironment } from '../../../src/environments/browser/environment.ts';
import { type StartedBrowser, startBrowser } from '../../../src/server/browser.ts';
import { needsPosix } from '../../systems.ts';
import { SOON, showing } from './stage.ts';

let startTime: StartedBrowser;
let environment: BrowserEnvironment;

beforeAll(async () => {
  startTime = await startBrowser(true);
  environment = new BrowserEnvironment(
    { browser: async () => startTime.browser, log: console.log, miniwob: async () => '' },
    { ...SOON, start: 1_000 },
  );
});
afterAll(async () => {
  await environment.close();
  await startTime.browser.close();
});

it.skipIf(needsPosix('a browser that freezes before it opens a page is an error'))(
  'a browser that freezes before it opens a page is an error',
  async () => {
    process.kill(-startTime.pid, 'SIGSTOP');
    try {
      await expect(showing(environment, '<h1>Shop</h1>')).rejects.toMatchObject({
        code: 'browser_failed',
        message: 'The browser started, but did not open a page: the browser took longer than 1 s.',
      });
    } finally {
      process.kill(-startTime.pid, 'SIGCONT');
    }
  },
);
