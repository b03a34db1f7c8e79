import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import { type Marked, placeForAll, TestSession } from './harness.ts';

const PAGE = `<title>Shop</title><h1>Plums <b>ripe</b></h1><ul><li>one<li>two</ul><input value="3"><p hidden>no</p>
<script>localStorage.cart = '3'; document.cookie = 'who=me'; window.clicks = 0; onclick = () => clicks += 1;</script>`;

let marked: Marked;
let session: TestSession;
beforeAll(async () => {
  marked = placeForAll();
  session = await TestSession.open(marked.placement, PAGE);
});
afterAll(() => marked.placement.dispose());

type Link = readonly [string, ...Json[]];

async function look(...links: readonly Link[]): Promise<Json> {
  const asked = links.map(([name, ...args]) => ({ name, args }));
  return (await session.server.request('session.query', { session: session.id, links: asked })).answer;
}

test.each<[Link[], Json]>([
  [[['title']], 'Shop'],
  [[['url']], 'http://task.localhost/'],
  [[['localStorage']], { cart: '3' }],
  [[['sessionStorage']], {}],
  [[['locator', 'h1'], ['textContent']], 'Plums ripe'],
  [
    [['locator', 'ul'], ['locator', 'li'], ['allTextContents']],
    ['one', 'two'],
  ],
  [[['getByText', 'two'], ['count']], 1],
  [[['locator', 'li'], ['nth', 1], ['innerText']], 'two'],
  [[['locator', 'input'], ['inputValue']], '3'],
  [
    [
      ['locator', 'input'],
      ['getAttribute', 'value'],
    ],
    '3',
  ],
  [[['locator', 'p'], ['isVisible']], false],
])('A page answers %j', async (links, answer) => {
  expect(await look(...links)).toEqual(answer);
});

test('Cookies are returned with their names and values', async () => {
  expect(await look(['cookies'])).toMatchObject([{ name: 'who', value: 'me' }]);
});

test('URL, title, cookies, and storage are returned together', async () => {
  expect(await look(['state'])).toMatchObject({
    ...{ url: 'http://task.localhost/', title: 'Shop', cookies: [{ name: 'who' }] },
    ...{ localStorage: { cart: '3' }, sessionStorage: {} },
  });
});

test.each<[string, Link[]]>([
  ['click', [['click', 'h1']]],
  ['evaluate', [['evaluate', 'clicks += 1']]],
  ['click', [['locator', 'h1'], ['click']]],
  [
    'evaluate',
    [
      ['locator', 'h1'],
      ['evaluate', 'e => e.remove()'],
    ],
  ],
  ['page', [['locator', 'h1'], ['page'], ['title']]],
  ['constructor', [['constructor']]],
])('Queries that could change a page are rejected: %s', async (name, links) => {
  await expect(look(...links)).rejects.toThrow(
    `${name} is not available, because only queries that do not change the page are`,
  );
});

test('Missing and unreadable values are reported immediately', async () => {
  await expect(look(['locator', '#nowhere'], ['innerText'])).rejects.toThrow('No element matches.');
  await expect(look(['locator', 'li'], ['innerText'])).rejects.toThrow('strict mode violation');
  await expect(look(['locator', '>>>'], ['count'])).rejects.toThrow();
});
