import { describe, expect, it } from 'vitest';
import { stage } from './harness.ts';

const on = stage();
const done = { value: null, reason: '' };
const FORM =
  '<form><input id="name" value="old"><button type="button" id="go" onclick="name.value; document.title = document.getElementById(\'name\').value">Go</button></form>';

describe('setup functions prepare the page', () => {
  it('opens pages, fills and clicks', async () => {
    expect(await on.setup('load_html_content', FORM)).toEqual(done);
    expect(await on.setup('wait_for_element', '#name', 20_000)).toEqual(done);
    expect(await on.setup('type', '#name', 'Ada')).toEqual(done);
    expect(await on.setup('press', '#name', 'End')).toEqual(done);
    expect(await on.setup('press', 'x')).toEqual(done);
    expect(await on.setup('click', '#go')).toEqual(done);
    expect(await on.page.title()).toBe('Adax');
    on.pages.set('http://other.test/', 'hello');
    expect(await on.setup('goto', 'http://other.test/')).toEqual(done);
    expect(on.page.url()).toBe('http://other.test/');
    expect(await on.setup('browser.maximize')).toEqual(done);
  });

  it('sets cookies and local storage of the open page', async () => {
    await on.show('');
    expect(await on.setup('set_cookies', { session: 'abc' })).toEqual(done);
    expect(await on.setup('set_cookies', [{ name: 'lang', value: 'de', domain: 'other.test' }])).toEqual(done);
    expect(await on.setup('set_cookies', [{ name: 'deep', value: '1', path: '/a' }])).toEqual(done);
    expect(
      (await on.page.context().cookies()).map(({ name, domain, path }) => `${name} ${domain}${path}`).sort(),
    ).toEqual(['deep shop.test/a', 'lang other.test/', 'session shop.test/']);
    expect(await on.setup('set_local_storage', { cart: '[1]' })).toEqual(done);
    expect(await on.page.evaluate(() => localStorage.getItem('cart'))).toBe('[1]');
  });

  it('explain what to do if there is no page yet', async () => {
    expect(await on.setup('set_cookies', { session: 'abc' })).toMatchObject({
      error: { code: 'call_threw', message: expect.stringContaining('open a page first (goto)') },
    });
    expect(await on.setup('set_local_storage', { a: 'b' })).toMatchObject({
      error: { code: 'call_threw', message: expect.stringContaining('open a page first') },
    });
  });

  it('fails with the element that is missing', async () => {
    await on.show('<p>nothing</p>');
    for (const [name, ...args] of [
      ['click', '#go'],
      ['type', '#go', 'x'],
      ['wait_for_element', '#go', 200],
    ] as const) {
      expect(await on.setup(name, ...args)).toMatchObject({
        error: { code: 'call_threw', message: expect.stringMatching(/#go/) },
      });
    }
  });

  it('fails with the covering element', async () => {
    await on.show('<button id="go" hidden>Go</button>');
    expect(await on.setup('click', '#go')).toMatchObject({
      error: { message: '`click` failed: timed out waiting for `#go`: element is not visible' },
    });
  });

  it('refuses calls that cannot work', async () => {
    expect(await on.setup('page_contains', 'x')).toMatchObject({
      error: {
        code: 'unknown_function',
        message: '`page_contains` is an evaluate function and cannot be used under `setup`',
      },
    });
    expect(await on.setup('goto')).toMatchObject({ error: { code: 'invalid_arguments' } });
    expect(await on.setup('fly')).toMatchObject({ error: { code: 'unknown_function' } });
  });
});
