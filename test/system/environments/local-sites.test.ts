import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BrowserEnvironment } from '../../../src/environments/browser/environment.ts';
import { launch, PATIENT, showing } from './stage.ts';

/** A site of this machine that other sites may read. */
const site = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html', 'access-control-allow-origin': '*' });
  response.end('<p>In stock: 3</p>');
});
let address: string;
let browser: Browser;
let environment: BrowserEnvironment;

beforeAll(async () => {
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
  browser = await launch();
  environment = new BrowserEnvironment(
    { browser: async () => browser, log: () => undefined, miniwob: async () => '' },
    PATIENT,
  );
});
afterAll(async () => {
  await environment.close();
  await browser.close();
  site.close();
});

describe('a task’s own page and a site of this machine', () => {
  it('fetches it', async () => {
    await showing(environment, '<p id=stock></p>');
    const page = environment.functionContext().page as Page;
    expect(await page.evaluate((url) => fetch(url).then((answer) => answer.text()), address)).toContain('In stock: 3');
  });

  it('frames it', async () => {
    const { observation } = await showing(environment, `<iframe src="${address}"></iframe>`);
    await expect
      .poll(() =>
        environment
          .functionContext()
          .page?.frames()
          .map((frame) => frame.url()),
      )
      .toContain(address);
    const { text } = (await environment.observe()).observation;
    expect(observation.text).not.toBe(null);
    expect(text).toContain('In stock: 3');
  });
});
