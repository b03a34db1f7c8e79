import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BrowserEnvironment } from '../../../src/environments/browser/environment.ts';
import { type RecordedPage, recordedPageSchema } from '../../../src/environments/recorded.ts';
import { launch, PATIENT, showing } from './stage.ts';

let browser: Browser;
let environment: BrowserEnvironment;

beforeAll(async () => {
  browser = await launch();
  environment = new BrowserEnvironment({ browser: async () => browser, log: console.log }, PATIENT);
});
afterAll(async () => {
  await environment.close();
  await browser.close();
});

const read = (page: Uint8Array | null | undefined): RecordedPage =>
  recordedPageSchema.parse(JSON.parse(Buffer.from(page ?? []).toString('utf8')));

describe('each step records its page', () => {
  it('with its URL, cookies, storage, field values, shadow roots, and frames', async () => {
    const { recorded: first } = await showing(
      environment,
      `<title>Shop</title><link rel=stylesheet href=a.css><style id=s></style>
       <input id=i><div id=host></div><iframe srcdoc="<p>inner</p>"></iframe>
       <script>document.cookie = 'a=1'; localStorage.cart = 'two'; var cart = 3; let hidden = 4;
         s.sheet.insertRule('p { color: red }');
         host.attachShadow({ mode: 'open' }).innerHTML = '<b>shade</b>'</script>`,
      { 'a.css': 'body { margin: 1px }' },
    );
    const start = read(first?.page);
    expect(start).toMatchObject({ url: 'http://task.localhost/', title: 'Shop', gaps: [], history: 1 });
    expect(start.names).toEqual(expect.arrayContaining(['cart', 'hidden']));
    expect(start.names).not.toContain('document');
    expect(start.cookies).toMatchObject([{ name: 'a', value: '1' }]);
    expect(start.document.storage).toEqual({ local: { cart: 'two' }, session: {} });
    expect(Object.values(first?.resources ?? {}).map((text) => Buffer.from(text).toString())).toEqual([
      'body { margin: 1px; }',
    ]);
    const { recorded: second } = await environment.step(["fill('#i', 'typed')"]);
    const tree = JSON.stringify(read(second?.page).document.children);
    expect(tree).toContain('["input",["id","i"],[],{"value":"typed","focus":true}]');
    expect(tree).toContain('"shadow":{"children":[["b",[],["shade"]]]}');
    expect(tree).toContain('["p",[],["inner"]]');
    expect(tree).toContain('"rules":["p { color: red; }"]');
    expect(second?.resources).toEqual({});
    expect(second?.actions).toMatchObject([
      { typed: 'typed', element: { chain: [{ tag: 'input', attributes: [['id', 'i']] }, {}, {}] }, error: null },
    ]);
  });

  it('with the globals of its scripts, even after they have deleted a standard one', async () => {
    await showing(
      environment,
      `<button id=a onclick="globalThis.later = 1">a</button><button id=b onclick="delete globalThis.Atomics">b</button>
       <script>var cart = 3</script>`,
    );
    for (const button of ['#a', '#b']) {
      const { recorded } = await environment.step([`click('${button}')`]);
      expect(read(recorded?.page).names).toEqual(['cart', 'later']);
    }
  });

  it('as the same bytes if the page is the same, so that runs with the same end are evaluated once', async () => {
    const show = async () => {
      const html = `<link rel=stylesheet href=a.css><p>Thank you</p><iframe srcdoc="<style>p { margin: 1px }</style>"></iframe>
        <script>const sheet = new CSSStyleSheet(); sheet.replaceSync('p { color: red }');
          document.adoptedStyleSheets = [sheet]</script>`;
      await showing(environment, html, { 'a.css': 'body { margin: 1px }' });
      const { recorded } = await environment.step(['noop(1)']);
      return recorded;
    };
    const [first, second] = [await show(), await show()];
    expect(Object.keys(read(first?.page).styles)).toHaveLength(2);
    expect(Buffer.from(second?.page ?? []).toString()).toBe(Buffer.from(first?.page ?? []).toString());
  });

  it('and reports what it cannot contain', async () => {
    const { recorded } = await showing(
      environment,
      `<div id=host></div><script>host.attachShadow({ mode: 'closed' }).innerHTML = '<b>x</b>'</script><video></video>`,
    );
    expect(read(recorded?.page).gaps).toEqual(['what <video> shows', 'the content of closed shadow roots']);
  });
});
