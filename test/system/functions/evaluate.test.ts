import { describe, expect, it } from 'vitest';
import { normaliseAction } from '../../../src/actions/normalise.ts';
import type { Json } from '../../../src/base/json.ts';
import { runCall } from '../../../src/functions/evaluate.ts';
import { NO_USER_FUNCTIONS } from '../../../src/functions/user/load.ts';
import { record, stage } from './harness.ts';

const on = stage();
const value = (reason: string) => ({ value: 1, reason });
const zero = (reason: string) => ({ value: 0, reason });

describe('elements', () => {
  it('exist in the page, in shadow roots and in frames', async () => {
    await on.show(`<button id="apply">Apply</button><div id="host"></div><iframe srcdoc="<b id=inner></b>"></iframe>
      <script>host.attachShadow({mode: 'open'}).innerHTML = '<u id="shadow"></u>'</script>`);
    expect(await on.evaluate('element_exists', '#apply')).toEqual(value('one element matches `#apply`'));
    expect(await on.evaluate('element_exists', '#shadow')).toMatchObject({ value: 1 });
    await on.page.frameLocator('iframe').locator('#inner').waitFor({ state: 'attached' });
    expect(await on.evaluate('element_exists', '#inner')).toMatchObject({ value: 1 });
    expect(await on.evaluate('element_exists', 'text=Apply')).toMatchObject({ value: 1 });
    expect(await on.evaluate('element_exists', '#aply')).toEqual(zero('nearest: `#apply`; no element matches `#aply`'));
  });

  it('with an invalid selector are an error', async () => {
    await on.show('');
    expect(await on.evaluate('element_exists', '')).toEqual({
      error: expect.objectContaining({
        code: 'invalid_arguments',
        message: 'invalid arguments for `element_exists`: argument 1: the selector is empty',
      }),
    });
    expect(await on.evaluate('element_exists', 'nope=1')).toMatchObject({
      error: { code: expect.stringMatching(/invalid_arguments|call_threw/) },
    });
  });

  it('have a visible text that the pattern is found in', async () => {
    await on.show(
      '<p class="total">Total: <b>5</b>.00</p><p class="total">Tax: 1.00 <s style="display:none">Total: 9</s></p><p class="none"></p>',
    );
    expect(await on.evaluate('text_matches', '.total', '^Total: \\d\\.00$')).toEqual(
      value('the text of `.total` is “Total: 5.00”'),
    );
    expect(await on.evaluate('text_matches', '.total', '(?i)TAX: \\d')).toMatchObject({ value: 1 });
    expect(await on.evaluate('text_matches', '.total', 'Total: 9')).toEqual(
      zero('the pattern “Total: 9” does not match the text of `.total`, which is “Total: 5.00” or “Tax: 1.00”'),
    );
    expect(await on.evaluate('text_matches', '.none', 'x')).toEqual(
      zero('`.none` shows no text, so the pattern “x” does not match'),
    );
    expect(await on.evaluate('text_matches', '.totl', 'x')).toEqual(
      zero('nearest: `.total`; no element matches `.totl`'),
    );
    expect(await on.evaluate('text_matches', '.total', '(')).toMatchObject({ error: { code: 'invalid_arguments' } });
  });

  describe.each(['srcdoc', 'src'])('in frames (%s) have the text that counts for `page_contains`', (attribute) => {
    const BELOW = '<div style=height:900px></div>';
    it.each([
      [1, 'shown', '', ''],
      [1, 'below the fold, where a person can scroll to it', '', BELOW],
      [0, 'below the fold of a frame that cannot scroll', 'scrolling=no', BELOW],
      [0, 'in a transparent frame', 'style="opacity:0"', ''],
      [0, 'in a frame outside of the page', 'style="position:absolute;left:-999px"', ''],
      [0, 'in a frame that is not shown', 'style="display:none"', ''],
      [0, 'in a frame that is scaled to less than a pixel', 'style="transform:scale(0.01)"', ''],
    ])('%i: %s', async (expected, _, attributes, before) => {
      const html = `${before}<p class=total>Paid</p>`;
      on.pages.set('http://pay.test/', html);
      on.pages.set('http://frame.test/', `<iframe src="http://pay.test/" ${attributes}></iframe>`);
      await on.show(
        attribute === 'src'
          ? '<iframe src="http://frame.test/" height=300></iframe>'
          : `<iframe height=300 srcdoc='<iframe srcdoc="${html}" ${attributes}></iframe>'></iframe>`,
      );
      expect(await on.evaluate('page_contains', 'Paid')).toMatchObject({ value: expected });
      expect(await on.evaluate('text_matches', '.total', 'Paid')).toMatchObject({ value: expected });
    });
  });
});

describe('the address', () => {
  it('is matched exactly or by a pattern', async () => {
    on.pages.set('http://shop.test/cart?id=7', '');
    await on.page.goto('http://shop.test/cart?id=7');
    expect(await on.evaluate('url_match', 'http://shop.test/cart?id=7')).toEqual(
      value('the URL is http://shop.test/cart?id=7'),
    );
    expect(await on.evaluate('url_match', '/cart\\?id=\\d$')).toMatchObject({ value: 1 });
    expect(await on.evaluate('url_match', 'https?://shop\\.test/.*')).toMatchObject({ value: 1 });
    expect(await on.evaluate('url_match', 'http://shop.test/cart')).toEqual(
      zero('expected the URL http://shop.test/cart, but the page is at http://shop.test/cart?id=7'),
    );
    expect(await on.evaluate('url_match', '/done$')).toEqual(
      zero('the pattern “/done$” does not match the URL http://shop.test/cart?id=7'),
    );
    expect(await on.evaluate('url_contains', 'cart')).toMatchObject({ value: 1 });
    expect(await on.evaluate('url_contains', 'Cart')).toEqual(
      zero('different capitalization: “cart”; “Cart” is not in the URL http://shop.test/cart?id=7'),
    );
  });
});

describe('cookies', () => {
  it('exist and match', async () => {
    await on.show('');
    await on.page.evaluate(() => {
      document.cookie = 'theme=dark';
      document.cookie = 'lang=en-GB';
    });
    expect(await on.evaluate('cookie_exists', 'theme')).toEqual(value('there is the cookie `theme`'));
    expect(await on.evaluate('cookies_exist', ['theme', 'lang'])).toMatchObject({ value: 1 });
    expect(await on.evaluate('cookie_exists', ['theme', 'session'])).toEqual(
      zero('cookie `session` missing; there are `theme`, `lang`'),
    );
    expect(await on.evaluate('cookie_match', 'theme', 'dark')).toMatchObject({ value: 1 });
    expect(await on.evaluate('cookie_match', 'theme', 'dar')).toEqual(zero('cookie `theme` is “dark”, expected “dar”'));
    expect(await on.evaluate('cookie_match', 'lang', '^en-\\w+$')).toMatchObject({ value: 1 });
    expect(await on.evaluate('cookie_match', ['theme', 'dark', 'lang', 'de'])).toEqual(
      zero('cookie `lang` is “en-GB”, expected “de”'),
    );
    expect(await on.evaluate('cookie_match', ['theme'])).toMatchObject({ error: { code: 'invalid_arguments' } });
  });

  it('missing where there are none', async () => {
    expect(await on.evaluate('cookie_exists', 'session')).toEqual(
      zero('cookie `session` missing; there are no cookies'),
    );
  });
});

describe("the tab's history", () => {
  it('counts the pages that were visited', async () => {
    on.page = await on.page.context().newPage();
    for (const path of ['a', 'b', 'c']) {
      on.pages.set(`http://shop.test/${path}`, '');
      await on.page.goto(`http://shop.test/${path}`);
    }
    expect(await on.evaluate('history_length', 3)).toEqual(value("the tab's history has 3 entries"));
    expect(await on.evaluate('history_length', 2)).toMatchObject({ value: 1 });
    expect(await on.evaluate('history_length', 4)).toEqual(
      zero("the tab's history has 3 entries, expected at least 4"),
    );
    expect(await on.evaluate('history_length', { exact: 3 })).toMatchObject({ value: 1 });
    expect(await on.evaluate('history_length', { min: 1, max: 2 })).toEqual(
      zero("the tab's history has 3 entries, expected at least 1 and at most 2"),
    );
    expect(await on.evaluate('history_length', {})).toMatchObject({ error: { code: 'invalid_arguments' } });
    expect(await on.evaluate('history_length', 'many')).toMatchObject({ error: { code: 'invalid_arguments' } });
  });
});

describe('what the agent did', () => {
  const actions = [
    record(action("fill('#name', 'Ada')"), { matches: async (selector) => selector === '#name', typed: 'Ada' }),
    record(action("click('#apply')"), { matches: async (selector) => ['#apply', 'button'].includes(selector) }),
  ];
  const evaluate = (name: string, ...args: Json[]) =>
    runCall({ function: name, args }, 'evaluate', on.context({ actions }), NO_USER_FUNCTIONS);

  it('ends with an action, in any spelling', async () => {
    expect(await evaluate('raw_last_action_is', 'click("#apply", button="left")')).toEqual(
      value("the last action is click('#apply')"),
    );
    expect(await evaluate('raw_last_action_is', { type: 'click', point: { x: 1, y: 2 } })).toEqual(
      zero("the last action is click('#apply'), expected mouse_click(1, 2)"),
    );
    expect(await evaluate('raw_last_action_is', 'explode()')).toMatchObject({ error: { code: 'invalid_arguments' } });
    expect(await on.evaluate('raw_last_action_is', 'noop()')).toEqual(zero('the agent took no action'));
  });

  it('acted on elements', async () => {
    expect(await evaluate('selector_history', '#name')).toEqual(value("fill('#name', 'Ada') acted on `#name`"));
    expect(await evaluate('selector_history', 'button', -1)).toMatchObject({ value: 1 });
    expect(await evaluate('selector_history', 'button', 0)).toEqual(
      zero("action 0, fill('#name', 'Ada'), did not act on `button`"),
    );
    expect(await evaluate('selector_history', 'button', 5)).toEqual(
      zero('action 5 does not exist; the number of actions is 2'),
    );
    expect(await evaluate('selector_history', '#other')).toEqual(
      zero("no action acted on `#other`; last actions: fill('#name', 'Ada') and click('#apply')"),
    );
  });

  it('typed into fields', async () => {
    expect(await evaluate('verify_type_action', '#name', 'Ada')).toMatchObject({ value: 1 });
    expect(await evaluate('verify_type_action', '#name', 'ada')).toEqual(
      zero('typing into `#name` left “Ada”, expected “ada”'),
    );
    expect(await evaluate('verify_type_action', '#mail', 'x')).toEqual(
      zero("no typing action went into `#mail`; typed: fill('#name', 'Ada')"),
    );
    expect(await on.evaluate('verify_type_action', '#mail', 'x')).toEqual(zero('the agent typed into no field'));
  });

  it('answered in another Unicode normalization', async () => {
    const [composed, decomposed] = ['Café'.normalize('NFC'), 'Café'.normalize('NFD')];
    const answer = (name: string, text: string) =>
      runCall(
        { function: name, args: [text] },
        'evaluate',
        on.context({ page: undefined, response: decomposed }),
        NO_USER_FUNCTIONS,
      );
    for (const name of ['response_includes', 'response_is', 'response_match']) {
      expect(await answer(name, decomposed)).toMatchObject({ value: 1 });
      expect(await answer(name, composed)).toMatchObject({ value: 0 });
    }
    expect(await answer('response_is', composed)).toMatchObject({
      reason: expect.stringMatching(/^different Unicode normalization: character 4 is /),
    });
    expect(await answer('response_includes', composed)).toMatchObject({
      reason: expect.stringMatching(/^different Unicode normalization: /),
    });
  });

  it('answered', async () => {
    const answer = (name: string, ...args: Json[]) =>
      runCall(
        { function: name, args },
        'evaluate',
        on.context({ page: undefined, response: 'The capital is Paris.' }),
        NO_USER_FUNCTIONS,
      );
    expect(await answer('response_includes', ['capital', 'Paris'])).toMatchObject({ value: 1 });
    expect(await answer('response_includes', ['paris', 'Rome'])).toEqual(
      zero('different capitalization: “paris”; “paris” and “Rome” are not in the response “The capital is Paris.”'),
    );
    expect(await answer('response_is', 'The capital is Paris.')).toMatchObject({ value: 1 });
    expect(await answer('response_is', 'the capital is paris.')).toEqual(
      zero('expected “the capital is paris.”, the response is “The capital is Paris.” (differs in capitalization)'),
    );
    expect(await answer('response_match', '(?P<city>P\\w+)')).toEqual(
      value('the pattern matches “Paris” in the response'),
    );
    expect(await answer('response_match', '^Paris')).toMatchObject({ value: 0 });
    expect(await answer('response_match', '(a+)+$'.replace('a', '[a-z ]'))).toMatchObject({ value: 0 });
    expect(await answer('page_contains', 'x')).toMatchObject({
      error: { code: 'call_threw', message: expect.stringContaining('no page') },
    });
    expect(await on.evaluate('response_is', 'Paris')).toEqual(zero('the agent gave no response'));
  });
});

function action(text: string) {
  const [one] = normaliseAction(text).actions;
  if (!one) throw new Error(`no action: ${text}`);
  return one;
}
