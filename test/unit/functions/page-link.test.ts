import { expect, it } from 'vitest';
import { readLinks } from '../../../src/functions/page/page-link.ts';

it('reads a locator as Playwright prints it', () => {
  expect(readLinks("getByRole('row', { name: 'it\\'s', exact: true }).locator('td').nth(-1)")).toEqual([
    { name: 'getByRole', args: ['row', { name: "it's", exact: true }] },
    { name: 'locator', args: ['td'] },
    { name: 'nth', args: [-1] },
  ]);
});

it.each(['getByText(/x/i)', 'locator', 'a.b', "locator('b').filter({ has: locator('c') })", 'a[0]()', 'locator('])(
  'refuses %s',
  (text) => {
    expect(() => readLinks(text)).toThrow(`${text} cannot be queried while the function is stopped.`);
  },
);
