import { beforeAll, expect, it } from 'vitest';
import { completing, loadStoppedExpressions } from '../../../src/debugger/stopped-expression.ts';

beforeAll(() => loadStoppedExpressions());

const COMPLETE = 'globalThis[Symbol.for("taskwright.complete")]';

it.each([
  ['await page.title()', 'C(page, [["title", []]])'],
  ['page.locator("li").count() + n', 'C(page, [["locator", ["li"]], ["count", []]]) + n'],
  ['await rows.nth(i + 1).textContent()', 'C(rows, [["nth", [i + 1]], ["textContent", []]])'],
  ['(await page.title()).length === `é${await p}`', '(C(page, [["title", []]])).length === `é${C(p, [])}`'],
  ['await (await x()).y()', 'C((C(x(), [])), [["y", []]])'],
  [
    'await page.getByRole("button", { name: await name() }).count()',
    'C(page, [["getByRole", ["button", { name: C(name(), []) }]], ["count", []]])',
  ],
  ['const t = await context.page.title(); t', 'const t = C(context.page, [["title", []]]); t'],
  ['await page?.title()', 'C(page?.title(), [])'],
])('%s', (expression, rewritten) => {
  expect(completing(expression)).toBe(rewritten.replaceAll('C(', `${COMPLETE}(`));
});

it.each(['page', 'total + 1', 'context.page.title()', 'lists.map(async (list) => await list)', 'await', '1 +'])(
  'leaves %s as it is',
  (expression) => {
    expect(completing(expression)).toBeNull();
  },
);
