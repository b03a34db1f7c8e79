import { expect, it } from 'vitest';
import { withoutStates } from '../../../src/environments/browser/recording/element-chain.ts';

it.each([
  ['input:checked', 'input[s~="checked"]'],
  ['a:not(:hover, :FOCUS) > b', 'a:not([s~="hover"], [s~="focus"]) > b'],
  ['a:focus-within', 'a[s~="focus-within"]'],
  ['a:nth-child(2n of :checked)', 'a:nth-child(2n of [s~="checked"])'],
  ['[title="a:checked"]', '[title="a:checked"]'],
  ["[title='it\\'s :checked']", "[title='it\\'s :checked']"],
  ['#a\\:checked', '#a\\:checked'],
  ['p::target', 'p::target'],
  ['a:hover-me, a:open(x), a:first-child', 'a:hover-me, a:open(x), a:first-child'],
])('%s becomes %s', (selector, expected) => {
  expect(withoutStates(selector, 's')).toBe(expected);
});
