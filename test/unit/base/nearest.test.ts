import { describe, expect, it } from 'vitest';
import { nearestWord } from '../../../src/base/nearest.ts';

describe('did you mean', () => {
  it.each([
    ['page_contain', 'page_contains'],
    ['pageContains', 'page_contains'],
    ['page_cotnains', 'page_contains'],
    ['urlmatch', 'url_match'],
    ['goot', 'goto'],
    ['launch_rocket', null],
    ['x', null],
  ])('%s: %s', (word, near) => {
    expect(nearestWord(word, ['goto', 'url_contains', 'url_match', 'page_contains'])).toBe(near);
  });
});
