import { describe, expect, it } from 'vitest';
import { isHitCountMet, readActionName } from '../../../src/debugger/breakpoints.ts';
import { ExpressionError, evaluateExpression, formatMessage, isTruthy } from '../../../src/debugger/expression.ts';
import type { PageLink } from '../../../src/functions/page/page-link.ts';

const NAMES: Record<string, unknown> = {
  step: 3,
  response: 'It is 42',
  args: ['a', { b: [1, 2] }],
  url: null,
};

const called: unknown[] = [];
const scope = {
  lookUp: (name: string) => NAMES[name],
  call: async (name: string, args: readonly unknown[]) => {
    called.push([name, ...args]);
    return name === 'half' ? 0.5 : 1;
  },
  queryPage: async (links: readonly PageLink[]) => links.map(({ name, args }) => `${name}(${args})`).join('.'),
};
const result = (text: string) => evaluateExpression(text, scope);

describe('a condition or an expression in the debug console', () => {
  it.each([
    ['step >= 3 and response == "It is 42"', true],
    ['step == 3 && args[1].b[0] == 1 && args.length == 2', true],
    ['not half("x")', true],
    ['whole("x") and step', 3],
    ['half("x") or "neither"', 'neither'],
    ['"42" in response', true],
    ['step in [1, 2]', false],
    ['url == None', true],
    ['args[1] == args[1]', true],
    ['step % 2 == 1', true],
    ['-step < 0', true],
    ['"at " + step', 'at 3'],
    ['args.constructor', undefined],
    ['response.length', 8],
    ['page.title()', 'title()'],
    [' page . locator("#a", step).first().innerText()', 'locator(#a,3).first().innerText()'],
    ['page.getByRole("button", { name: args[0], "exact": True }).count()', 'getByRole(button,[object Object]).count()'],
    ['page.getByText(args[0]).count() == "getByText(a).count()"', true],
  ])('%s', async (text, value) => {
    expect(await result(text)).toEqual(value);
  });

  it('calls functions as tasks write them, with the spellings of Python and with objects', async () => {
    called.length = 0;
    await result(`history_length({"min": 2})`);
    await result(`browser.maximize()`);
    await result(`cookie_match(['a', 'b'], True)`);
    await result(`page_contains(args[0]) == 1`);
    expect(called).toEqual([
      ['history_length', { min: 2 }],
      ['browser.maximize'],
      ['cookie_match', ['a', 'b'], true],
      ['page_contains', 'a'],
    ]);
  });

  it.each(['stpe == 3', 'step ==', 'step = 3', '(() => 1)()', 'this', 'step ? 1 : 2', 'new Date()', '`x`', ''])(
    'is rejected with an explanation if it is something else: %s',
    async (text) => {
      await expect(result(text)).rejects.toThrow(ExpressionError);
    },
  );

  it('is met if an evaluate function returns 1', () => {
    expect([1, 0.5, 0, true, 'x', '', null].map(isTruthy)).toEqual([true, false, false, true, true, false, false]);
  });

  it('fills the braces of a log message, with errors of expressions', async () => {
    expect(await formatMessage('step {step}: {response} {nothing}', scope)).toBe(
      'step 3: It is 42 {“nothing” is not defined.}',
    );
  });
});

describe('options of a breakpoint', () => {
  it.each([
    ['3', 3, true],
    ['3', 4, false],
    ['>= 3', 4, true],
    ['> 3', 3, false],
    ['% 2', 4, true],
    ['%2', 3, false],
    ['often', 1, null],
  ])('hit count %s at hit %d', (condition, hits, met) => {
    expect(isHitCountMet(condition, hits)).toBe(met);
  });

  it.each([
    ['click', 'click'],
    ['click()', 'click'],
    ['3', 3],
    ['step 3', 3],
    ['#3', 3],
    ['0', null],
    ['a b', null],
  ])('a function breakpoint %s', (name, action) => {
    expect(readActionName(name)).toBe(action);
  });
});
