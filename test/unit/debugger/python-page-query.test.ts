import { expect, it } from 'vitest';
import { pageQueryIn } from '../../../src/debugger/python-page-query.ts';

it.each([
  ['page.title()', [['title']]],
  [' await page.url', [['url']]],
  ['page.local_storage()', [['localStorage']]],
  ['await page.get_by_role("row").first.inner_html()', [['getByRole', 'row'], ['first'], ['innerHTML']]],
  ["page.locator('li.first.last').nth(1).text_content()", [['locator', 'li.first.last'], ['nth', 1], ['textContent']]],
])('%s', (expression, calls) => {
  expect(pageQueryIn(expression)).toEqual(calls.map(([name, ...args]) => ({ name, args })));
});

it.each([
  'page',
  'pages.title()',
  'page.get("x")',
  'page.locator("li")',
  'page.click("a")',
  'page["title"]',
  'page.title() + x',
])('leaves %s to Python', (expression) => {
  expect(pageQueryIn(expression)).toBeNull();
});
