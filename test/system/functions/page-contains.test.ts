import { describe, expect, it } from 'vitest';
import { readText } from '../../../src/functions/page/in-page/read-text.ts';
import { sourceOf } from '../../../src/functions/page/source-of.ts';
import { clips } from './contains/clips.ts';
import { drawings } from './contains/drawings.ts';
import { elements } from './contains/elements.ts';
import { fields } from './contains/fields.ts';
import { turned } from './contains/turned.ts';
import { stage } from './harness.ts';

const CASES = [elements, clips, drawings, fields, turned];

const on = stage();

describe('page_contains is 1 for text that a user who scrolls can read', () => {
  it.each(CASES.flatMap(({ readable }) => readable))('%s', async (_what, html) => {
    await on.show(html);
    expect(await on.evaluate('page_contains', 'Order placed')).toEqual({
      value: 1,
      reason: '“Order placed” can be read on the page',
    });
  });

  it('text in frames of other sites, and in frames within those', async () => {
    on.pages.set('http://pay.test/', '<p>Paid in full</p><iframe src="http://bank.test/"></iframe>');
    on.pages.set('http://bank.test/', '<p>Booked</p>');
    await on.show('<iframe src="http://pay.test/"></iframe>');
    expect(await on.evaluate('page_contains', ['Paid in full', 'Booked'])).toMatchObject({ value: 1 });
  });

  it('text that the page has just scrolled into sight, before the browser lays it out', async () => {
    await on.show('<div style="height: 3000px"></div><p style="content-visibility: auto"><b>Order placed</b></p>');
    const text = await on.page.evaluate(
      `scrollTo(0, 9999); (${sourceOf(readText)})(null, { explain: false }).texts.join()`,
    );
    expect(text).toContain('Order placed');
  });

  it('is quick on a page of twenty thousand elements', async () => {
    await on.show(
      '<body><script>document.body.innerHTML = "<div><span>row</span><b>cell</b></div>".repeat(7000) + "Order placed"</script></body>',
    );
    expect(await on.evaluate('page_contains', 'Order placed')).toMatchObject({ value: 1 });
    expect(await on.evaluate('page_contains', 'Order refused')).toMatchObject({ value: 0 });
  });
});

describe('page_contains is 0 for unreadable text, with a reason', () => {
  it.each(CASES.flatMap(({ hidden }) => hidden))('%s: %s', async (reason, html) => {
    await on.show(html);
    expect(await on.evaluate('page_contains', 'Order placed')).toEqual({ value: 0, reason });
  });

  it('is another text in another Unicode normalization', async () => {
    await on.show(`<p>${'Café'.normalize('NFD')}</p>`);
    expect(await on.evaluate('page_contains', 'Café'.normalize('NFC'))).toMatchObject({ value: 0 });
    expect(await on.evaluate('page_contains', 'Café'.normalize('NFD'))).toMatchObject({ value: 1 });
  });

  it('names each text of a list that is missing', async () => {
    await on.show('<p>Order placed</p><p style="display:none">Thank you</p>');
    expect(await on.evaluate('contains_text', ['Order placed', 'Thank you', 'Total: 5'])).toEqual({
      value: 0,
      reason: '“Thank you” is on the page, but hidden (display: none); “Total: 5” is not on the page',
    });
  });

  it('distinguishes the clipped part of a line from the visible part', async () => {
    await on.show(
      '<p style="width: 60px; overflow: hidden; white-space: nowrap; font: 16px monospace">Order placed</p>',
    );
    expect(await on.evaluate('page_contains', 'Order')).toMatchObject({ value: 1 });
    expect(await on.evaluate('page_contains', 'Order placed')).toMatchObject({ value: 0 });
  });

  it('is not affected by a page that overrides built-in objects', async () => {
    await on.show(`<p>Your cart</p><script>
      const lie = () => 'Order placed';
      JSON.stringify = () => '{"texts":["Order placed"],"hiddenTexts":[],"shownElements":[],"frames":0}';
      Array.prototype.join = lie; String.prototype.replace = lie; Range.prototype.getClientRects = () => [];
      Object.defineProperty(CharacterData.prototype, 'data', { get: lie });
      window.getComputedStyle = () => ({ display: 'block', visibility: 'visible' });
    </script>`);
    expect(await on.evaluate('page_contains', 'Order placed')).toMatchObject({ value: 0 });
    expect(await on.evaluate('page_contains', 'Your cart')).toMatchObject({ value: 1 });
  });
});
