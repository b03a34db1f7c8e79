import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BrowserEnvironment } from '../../../src/environments/browser/environment.ts';
import { launch, SOON, showing } from './stage.ts';

let browser: Browser;
let environment: BrowserEnvironment;

beforeAll(async () => {
  browser = await launch();
  environment = new BrowserEnvironment(
    { browser: async () => browser, log: console.log, miniwob: async () => '' },
    // The reason why an element is not clicked is known only if there was time to look at it.
    { ...SOON, action: 8000 },
  );
});
afterAll(async () => {
  await environment.close();
  await browser.close();
});

const HEARD = `<script>
  window.heard = [];
  for (const type of ['mousedown', 'mouseup', 'click', 'dblclick', 'focus', 'select', 'input', 'change']) {
    document.addEventListener(type, ({ target, isTrusted }) => {
      window.heard.push(type + ' ' + (target.id) + (isTrusted ? '' : ' untrusted'));
    }, true);
  }
</script>`;

/** What the page heard while the actions were carried out, and the first error. */
async function act(html: string, ...actions: readonly string[]): Promise<{ events: unknown; error: string | null }> {
  await showing(environment, `<!doctype html><body style="margin: 0">${html}${HEARD}`);
  const { error } = await environment.step(actions);
  return { events: await environment.functionContext().page?.evaluate('window.heard'), error: error?.code ?? null };
}

const CLICKED = ['mousedown a', 'focus a', 'mouseup a', 'click a'];

describe('an element that is ready', () => {
  it('receives the events of a real click', async () => {
    expect(await act('<button id=a>Go</button>', "click('#a')")).toEqual({ events: CLICKED, error: null });
    const twice = await act('<button id=a>Go</button>', "dblclick('#a')");
    expect(twice.events).toEqual([...CLICKED, 'mousedown a', 'mouseup a', 'click a', 'dblclick a']);
  });

  it('is filled, selected, and focused with the events of real input', async () => {
    const typed = await act('<input id=a value=old>', "fill('#a', 'new')");
    expect(typed.error).toBe(null);
    // The browser tells of what is selected when it comes to it.
    expect(new Set(typed.events as string[])).toEqual(new Set(['focus a', 'select a', 'input a']));
    const date = await act('<input id=a type=date>', "fill('#a', '2026-01-02')");
    expect(date.events).toEqual(['focus a', 'input a untrusted', 'change a untrusted']);
    const list = await act('<select id=a><option>One<option>Two</select>', "select_option('#a', 'Two')");
    expect(list.events).toEqual(['input a untrusted', 'change a untrusted']);
    expect((await act('<input id=a>', "focus('#a')")).events).toEqual(['focus a']);
  });

  it('keeps no trace of how it was accessed', async () => {
    await showing(environment, '<button id=a>Go</button><input id=b><script>before = Object.keys(window)</script>');
    await environment.step(["click('#a')", "fill('#b', 'text')"]);
    const { page } = environment.functionContext();
    expect(await page?.evaluate('Object.keys(window).filter((name) => !before.includes(name))')).toEqual(['before']);
    expect(await page?.evaluate('document.documentElement.outerHTML')).not.toMatch(/taskwright|bid/);
  });

  it('is not clicked if another element covers it when the mouse arrives', async () => {
    const trap = `<button id=a style="width: 100px; height: 40px">Go</button>
      <div id=b hidden style="position: absolute; inset: 0"></div>
      <script>a.onmousemove = () => { b.hidden = false; };</script>`;
    expect(await act(trap, "click('#a')")).toEqual({ events: [], error: 'element_covered' });
    // The next click means what is there.
    await environment.step(['mouse_click(300, 300)']);
    const page = environment.functionContext().page;
    expect(await page?.evaluate('window.heard')).toEqual(['mousedown b', 'mouseup b', 'click b']);
    expect(
      await page?.evaluate('Object.getOwnPropertyNames(window).filter((name) => /^taskwright/.test(name))'),
    ).toEqual([]);
  });
});

describe('an element that is not ready', () => {
  it.each([
    [
      'is disabled for a while',
      '<button id=a disabled>Go</button><script>setTimeout(() => { a.disabled = false; }, 300)</script>',
    ],
    [
      'is hidden for a while',
      '<button id=a style="visibility: hidden">Go</button><script>setTimeout(() => { a.style.visibility = ""; }, 300)</script>',
    ],
    [
      'is covered for a while',
      '<button id=a>Go</button><div id=b style="position: fixed; inset: 0"></div><script>setTimeout(() => b.remove(), 300)</script>',
    ],
    [
      'is on its way',
      '<style>@keyframes go { from { margin-left: 0 } to { margin-left: 300px } }</style><button id=a style="animation: go .3s linear forwards">Go</button>',
    ],
    ['has to be scrolled to', '<div style="height: 3000px"></div><button id=a>Go</button>'],
    [
      'has to be scrolled to within a box',
      '<div style="height: 50px; overflow: auto"><div style="height: 300px"></div><button id=a>Go</button></div>',
    ],
  ])('is clicked once it %s', async (_, html) => {
    expect(await act(html, "click('#a')")).toEqual({ events: CLICKED, error: null });
  });

  it('is reported with a reason if it is not clicked', async () => {
    const covered = '<button id=a>Go</button><div id=b style="position: fixed; inset: 0"></div>';
    expect(await act(covered, "click('#a')")).toEqual({ events: [], error: 'element_covered' });
    expect((await act('<button id=a disabled>Go</button>', "click('#a')")).error).toBe('element_disabled');
    expect((await act('<input id=a readonly>', "fill('#a', 'text')")).error).toBe('element_readonly');
    const inert = await act('<div inert><input id=a></div>', "fill('#a', 'text')");
    expect(inert).toEqual({ events: [], error: 'action_timeout' });
    const result = await act('<select id=a><option>One</select>', "select_option('#a', 'Two')");
    expect(result).toEqual({ events: [], error: 'option_missing' });
  });
});
