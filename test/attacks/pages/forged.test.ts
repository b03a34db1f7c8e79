import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { BrowserEnvironment } from '../../../src/environments/browser/environment.ts';
import { runCall } from '../../../src/functions/evaluate.ts';
import { NO_USER_FUNCTIONS } from '../../../src/functions/user/load.ts';
import type { Call } from '../../../src/tasks/task.ts';
import { everyThird } from '../../sample.ts';
import { launch, SOON, showing } from '../../system/environments/stage.ts';
import { FIELDS, FORGERIES, IMAGES } from './hostile.ts';

let browser: Browser;
let environment: BrowserEnvironment;

beforeAll(async () => {
  browser = await launch();
  environment = new BrowserEnvironment({ browser: async () => browser, log: console.log }, SOON);
});
afterAll(async () => {
  await environment.close();
  await browser.close();
});

const NOWHERE = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
const evaluate = (name: string, ...args: readonly (string | string[])[]) =>
  runCall({ function: name, args: [...args] }, 'evaluate', environment.functionContext(), NO_USER_FUNCTIONS);

describe.each(Object.entries(FORGERIES))('A page with %s', (_what, script) => {
  const page = `<p id=state>Nothing ordered</p><p id=secret style="display:none">Order placed</p><button id=other>Other</button>
    <button id=buy hidden>Buy</button><input id=field value="mine"><script>${script}</script>`;

  it('does not change what is found on it', async () => {
    await showing(environment, page, {});

    expect(await evaluate('text_matches', '#state', 'Order placed')).toMatchObject({ value: 0 });
    expect(await evaluate('text_matches', '#state', 'Nothing ordered')).toMatchObject({ value: 1 });
    expect(await evaluate('text_matches', 'text=Nothing', 'Nothing ordered')).toMatchObject({ value: 1 });
    expect(await evaluate('text_matches', '#secret', 'Order placed')).toMatchObject({ value: 0 });
    expect(await evaluate('page_contains', 'Order placed')).toMatchObject({ value: 0 });
    expect(await evaluate('page_contains', 'Nothing ordered')).toMatchObject({ value: 1 });
    expect(await evaluate('element_exists', '#state')).toMatchObject({ value: 1 });
    expect(await evaluate('element_exists', '#placed')).toMatchObject({ value: 0 });
  });

  it('does not change what is recorded of an action', async () => {
    await showing(environment, page, {});
    await environment.step(["click('#other')"]);
    await environment.step(["fill('#field', 'typed')"]);

    expect(await evaluate('selector_history', '#buy')).toMatchObject({ value: 0 });
    expect(await evaluate('selector_history', '#other')).toMatchObject({ value: 1 });
    expect(await evaluate('verify_type_action', '#field', 'typed')).toMatchObject({ value: 1 });
    expect(await evaluate('verify_type_action', '#buy', 'typed')).toMatchObject({ value: 0 });
  });
});

describe('Names of fields and images', () => {
  const fields = FIELDS.map((name) => `<input name="${name}" value="Order placed" size=2>`).join('');
  const images = IMAGES.map((name) => `<img name="${name}" alt="">`).join('');
  const page = `<form id=order onsubmit="return false"><p id=state>Nothing ordered</p><button id=other type=button>Other</button>
    <input id=field value=mine><span hidden>${fields}</span></form>${images}`;

  it('do not change what is found on a page', async () => {
    await showing(environment, page, {});

    expect(await evaluate('text_matches', '#state', 'Nothing ordered')).toMatchObject({ value: 1 });
    expect(await evaluate('text_matches', '#order', 'Nothing ordered')).toMatchObject({ value: 1 });
    expect(await evaluate('text_matches', '#order', 'Order placed')).toMatchObject({ value: 0 });
    expect(await evaluate('page_contains', 'Nothing ordered')).toMatchObject({ value: 1 });
    expect(await evaluate('page_contains', 'Order placed')).toMatchObject({ value: 0 });
  });

  it('do not change what is recorded of an action', async () => {
    const start = await showing(environment, page, {});
    expect(start.observation.text).toContain("button 'Other'");
    expect((await environment.step(["click('#other')"])).error).toBeNull();
    expect((await environment.step(["fill('#field', 'typed')"])).error).toBeNull();

    expect(await evaluate('selector_history', '#order > #other')).toMatchObject({ value: 1 });
    expect(await evaluate('selector_history', 'form > #field')).toMatchObject({ value: 1 });
    expect(await evaluate('selector_history', 'form[id="body"] > #field')).toMatchObject({ value: 0 });
    expect(await evaluate('verify_type_action', '#field', 'typed')).toMatchObject({ value: 1 });
  });

  it('do not change what a recorded page says', async () => {
    const judged = (selector: string): Call => ({ function: 'selector_history', args: [selector], range: NOWHERE });
    const selectors = ['form:has(#state) > #other', 'form:has(#state)', 'text=Other'] as const;
    await showing(environment, page, {}, { evaluate: selectors.map(judged) });
    expect((await environment.step(["click('#other')"])).error).toBeNull();
    expect((await environment.step(["fill('#field', 'typed')"])).error).toBeNull();
    await environment.step(["dispatch_event('#order', 'click')"]);
    await environment.step(["hover('#order')"]);

    expect(await evaluate('selector_history', 'form:has(#state) > #other')).toMatchObject({ value: 1 });
    expect(await evaluate('selector_history', 'form:has(#state)')).toMatchObject({ value: 1 });
    expect(await evaluate('selector_history', '#order')).toMatchObject({ value: 1 });
    // Playwright itself stumbles over them.
    expect(await evaluate('selector_history', 'text=Other')).toMatchObject({ value: 0, blame: 'agent' });
  });

  it('count against the agent where nobody can read the page for them', async () => {
    await showing(environment, page, {});
    // Before it acts, the page is the task's.
    expect(await evaluate('element_exists', '#order #state')).toMatchObject({ error: { code: 'call_threw' } });
    await environment.step(["click('#other')"]);
    expect(await evaluate('element_exists', '#order #state')).toMatchObject({ value: 0, blame: 'agent' });
  });
});

describe('A page that goes elsewhere while it is read', () => {
  const leaving = (times: number) => `<p id=state>Nothing ordered</p><button id=go>Go</button><script>
    const gone = Number(new URLSearchParams(location.search).get('gone') ?? 0);
    const go = () => { location.search = '?gone=' + (gone + 1); };
    document.getElementById('go').onclick = go;
    if (gone > 0 && gone < ${times}) go();</script>`;

  it('is read again', async () => {
    await showing(environment, leaving(20), {});
    await environment.step(["click('#go')"]);
    expect(await evaluate('text_matches', '#state', 'Nothing ordered')).toMatchObject({ value: 1 });
    expect(await evaluate('page_contains', 'Nothing ordered')).toMatchObject({ value: 1 });
  });

  it('is never an error', async () => {
    // The page keeps a processor busy until each limit.
    const limits = { ...SOON, navigation: 500, observe: 500 };
    const leaver = new BrowserEnvironment({ browser: async () => browser, log: console.log }, limits);
    onTestFinished(() => leaver.close());
    await showing(leaver, leaving(1e9), {});
    await leaver.step(["click('#go')"]);
    await expect.poll(() => leaver.functionContext().page?.url()).toContain('?gone=');
    const calls = everyThird([
      { function: 'text_matches', args: ['#state', 'Nothing'] },
      { function: 'page_contains', args: ['Nothing'] },
      { function: 'element_exists', args: ['#none'] },
    ]);
    for (const call of calls) {
      const result = await runCall(call, 'evaluate', leaver.functionContext(), NO_USER_FUNCTIONS);
      expect(result).toMatchObject({ value: expect.any(Number) });
    }
  });
});
