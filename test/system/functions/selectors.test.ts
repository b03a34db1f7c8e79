import { describe, expect, it } from 'vitest';
import { selectorProblem } from '../../../src/functions/selector.ts';
import { repeatedSample } from '../../sample.ts';
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
  'role=Button',
  'role=doc-chapter',
  'role=checkbox[checked]',
  'role=checkbox[checked=mixed]',
  'role=button[pressed="mixed"]',
  'role=heading[level=2]',
  'role=heading[level="2"][name="x"]',
  'role=button[name="a]b" i]',
  'role=button[name=/x/i]',
  'role=button[name*="x"]',
  'role=button[name=Save]',
  'role=button[name=5]',
  'role=link[include-hidden=true][disabled]',
  'text=/x/i',
  'text=/a',
  '//a[ div]',
  '//a[@ href and div]',
  '//a[contains(@class, "x") or not(b)]',
  '//a[position() mod 2 = 1]/text()/..',
  '//a[.="and ]"]',
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
  'role=button[name=x',
  'role=button[foo=1]',
  'role=button[level=2]',
  'role=heading[level=x]',
  'role=heading[level]',
  'role=checkbox[checked=maybe]',
  'role=option[selected=mixed]',
  'role=link[pressed]',
  'role=button[name]',
  'role=button[name=true]',
  'role=button[name=/(/]',
  'role=button[disabled=no]',
  'role=button name="x"',
  'text=/(/',
  'text=/x/q',
  '//a[@]',
  '//a[1 and]',
  '//a[b or ]',
  '//a[ends-with(@href, "x")]',
  '//a[lower-case(.) = "x"]',
];

describe('a selector is checked without a browser as the browser checks it', () => {
  it.each(repeatedSample(READABLE))('%s can be read', async (selector) => {
    await on.show('<p>x</p>');
    expect(await on.page.locator(selector).count()).toBeGreaterThanOrEqual(0);
    expect(selectorProblem(selector)).toBeNull();
  });

  it.each(repeatedSample(UNREADABLE))('%s cannot', async (selector) => {
    await on.show('<p>x</p>');
    await expect(on.page.locator(selector).count()).rejects.toThrow();
    expect(selectorProblem(selector)).toMatch(/\w/);
  });
});
