import type { Browser, CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shorten } from '../../../src/environments/browser/short-way.ts';
import { launch } from './stage.ts';

let browser: Browser;
let page: Page;
let session: CDPSession;

beforeAll(async () => {
  browser = await launch();
  page = await browser.newPage();
  session = shorten(await page.context().newCDPSession(page));
});
afterAll(() => browser.close());

describe('the short way to a page', () => {
  it('is there in the Playwright that is used', () => {
    expect(Object.hasOwn(session, 'send')).toBe(true);
  });

  it('tells what happened before an answer before it, to both who listen there and to Playwright itself', async () => {
    await session.send('Runtime.enable');
    const heard: string[] = [];
    session.on('Runtime.consoleAPICalled', ({ args }) => heard.push(`session ${args[0]?.value}`));
    page.on('console', (message) => heard.push(`page ${message.text()}`));
    for (let count = 0; count < 50; count += 1) {
      heard.length = 0;
      const { result } = await session.send('Runtime.evaluate', { expression: `console.log('said ${count}'); 'done'` });
      heard.push(String(result.value));
      expect(heard.sort()).toEqual(['done', `page said ${count}`, `session said ${count}`]);
    }
  });

  it('asks in the order in which it was asked, also between questions to Playwright', async () => {
    const types: string[] = [];
    await page.exposeFunction('tell', (type: string) => types.push(type));
    await page.setContent(`<script>
      for (const type of ['mousemove', 'mousedown', 'mouseup']) addEventListener(type, () => tell(type));</script>`);
    const at = { x: 20, y: 20, button: 'left', clickCount: 1 } as const;
    await Promise.all([
      page.mouse.move(20, 20),
      session.send('Input.dispatchMouseEvent', { ...at, type: 'mousePressed' }),
      session.send('Input.dispatchMouseEvent', { ...at, type: 'mouseReleased' }),
    ]);
    await expect.poll(() => types).toEqual(['mousemove', 'mousedown', 'mouseup']);
  });

  it('says what the browser refuses, and that a page has gone', async () => {
    await expect(session.send('Page.navigateToHistoryEntry', { entryId: 99 })).rejects.toThrow(
      'No entry with passed id',
    );
    const other = await browser.newPage();
    const gone = shorten(await other.context().newCDPSession(other));
    const waiting = gone.send('Runtime.evaluate', { expression: 'new Promise(() => {})', awaitPromise: true });
    const refused = expect(waiting).rejects.toThrow(/closed/);
    await gone.send('Runtime.evaluate', { expression: '1' });
    await other.close();
    await refused;
    await expect(gone.send('Runtime.evaluate', { expression: '1' })).rejects.toThrow(/closed/);
  });

  it('leaves a Playwright that is built otherwise its own', async () => {
    const send = async (): Promise<unknown> => 'its own';
    for (const made of [{ send }, { send, _connection: {} }, { send, _connection: { toImpl: () => ({}) } }]) {
      const kept = shorten(made as unknown as CDPSession);
      expect(kept.send).toBe(send);
    }
  });
});
