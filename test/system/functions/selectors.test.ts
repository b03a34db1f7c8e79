import { describe, expect, it } from 'vitest';
import { selectorProblem } from '../../../src/functions/selector.ts';
import { stage } from './harness.ts';

const on = stage();

/** Read by the browser, and so by us. */
const READABLE = [
  '#apply',
  'button.primary',
  'div > p + a ~ b c',
  'a, b',
  '*',
  '.a.b#c[d]',
  '[data-id="7"]',
  "[data-id='7' i]",
  '[href^="http"]',
  '[x|="a"]',
  'input[type=checkbox]:checked',
  'li:nth-child(2n + 1)',
  ':is(a, b) :not(.c, .d)',
  'div:has(> p)',
  'a:has-text("x(y")',
  'button:text("Apply")',
  'text=Apply',
  "text=it's here",
  '"Apply"',
  '//div[@id="x"]',
  '(//a)[1]',
  'xpath=//a',
  'css=a > b',
  'id=apply',
  'data-testid=x',
  'role=button[name="Apply"]',
  '#form >> text=Apply',
  'a >> nth=0',
  'a >> visible=true',
  '#a\\:b',
  '#\\31 a',
  '.日本',
  '--x',
  'a:hover',
  'input:near(#x)',
  'div:visible',
  'a[title="a >> b"]',
  ':root',
  'css:light=a',
  '*css=a >> b',
  'a /* c */ b',
];

/** Refused by the browser, and so by us. */
const UNREADABLE = [
  '#',
  '.',
  'a >',
  '> ',
  'a,',
  ',a',
  'a[',
  'a[b',
  'a[b=',
  'a[b="c]',
  'a[1]',
  'a:',
  'a:not(',
  'a:not()',
  ':is(a,)',
  'a))',
  'a(b)',
  'a!b',
  'a{b}',
  '.a:',
  '[=x]',
  '[a==b]',
  'a & & b',
  'nope=1',
  'a >> ',
  '>> a',
  'p::first-line',
  '*|a',
  '**',
  'li:nth-child()',
  '#1a',
  '.1a',
  'a > > b',
  'a @ b',
  'a%',
];

describe('a selector is judged without a browser as the browser judges it', () => {
  it.each(READABLE)('%s can be read', async (selector) => {
    await on.show('<p>x</p>');
    expect(await on.page.locator(selector).count()).toBeGreaterThanOrEqual(0);
    expect(selectorProblem(selector)).toBeNull();
  });

  it.each(UNREADABLE)('%s cannot', async (selector) => {
    await on.show('<p>x</p>');
    await expect(on.page.locator(selector).count()).rejects.toThrow();
    expect(selectorProblem(selector)).toMatch(/\w/);
  });
});
