import { describe, expect, it } from 'vitest';
import { selectorProblem } from '../../../src/functions/selector.ts';

describe('selectors that can be read', () => {
  it.each([
    '#apply',
    'button',
    '*',
    'a[href]',
    'a[href="x y"]',
    "a[href^='http' i]",
    'input[type=text]:not(.off, [disabled]) > .x + .y ~ z',
    'ul li:nth-child(2n + 1)',
    'div:has(> p)',
    '> .direct',
    '#a\\:b',
    '.ä-ö',
    '.--x',
    '-moz-x',
    'button:has-text("Place order")',
    ':text("x")',
    ':text-matches("a|b", "i")',
    'button:visible',
    'input:right-of(:text("Password"))',
    ':nth-match(button, 2)',
    'text=Log in',
    "text=It's >> nth=0",
    '"Log in"',
    'role=button[name="Save"]',
    'css=a >> text="b >> c" >> xpath=//p',
    '//div[@id="x"]',
    '..',
    'id=1',
    'data-testid=cart',
    '*css=div >> p',
    'table >> nth=-1 >> visible=true',
  ])('%s', (selector) => {
    expect(selectorProblem(selector)).toBeNull();
  });
});

describe('selectors that cannot be read', () => {
  it.each([
    ['', 'the selector is empty'],
    ['#', 'a name is missing after “#” at the end'],
    ['a >', 'a selector is missing at the end'],
    ['a,', 'a selector is missing at the end'],
    ['a, , b', 'a selector is missing before “,” at position 3'],
    ['#1', '“#1” is no CSS, since a name cannot begin with a digit: write [id="1"]'],
    ['.2x a', '“.2x” is no CSS, since a name cannot begin with a digit: write [class~="2x"]'],
    ['[a', 'the “[” at position 0 is not closed'],
    ['[a=', 'a value is missing at the end'],
    ['[a=5]', 'the value needs quotes: [a="5"]'],
    ['[a="x]', 'the text at position 3 does not end'],
    ['a:not(.b', 'it ends too early: a closing bracket is missing'],
    ['a)', '“)” at position 1 is not expected'],
    ['a]', '“]” at position 1 is not expected'],
    ['button!', '“!” at position 6 is not expected'],
    ['a:contains("x")', '“:contains” is jQuery\'s, not CSS: write :has-text("...")'],
    ['a:has-text(x)', '“:has-text” takes a text in quotes: :has-text("...")'],
    ['p::before', 'a pseudo-element (“::”) is no element that can be found'],
    ['svg|a', '“|” at position 3 is not expected'],
    ['a >> ', 'nothing stands after “>>”'],
    ['>> a', 'nothing stands before “>>”'],
    ['foo=bar', 'there is no selector engine “foo”'],
    ['nth=x', '“nth=” takes a whole number'],
    ['css=', 'nothing stands after “css=”'],
    ['li:nth-child()', 'nothing stands in the brackets at position 12'],
    ['a b { }', '“{” at position 4 is not expected'],
    [':not('.repeat(100), 'it is nested more than 50 levels deep'],
  ])('%s', (selector, problem) => {
    expect(selectorProblem(selector)).toBe(problem);
  });
});
