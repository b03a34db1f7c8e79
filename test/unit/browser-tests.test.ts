import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { BROWSER_INDEPENDENT, BROWSER_LONG, BROWSER_TESTS } from '../../scripts/browser-tests.ts';
import { root } from '../../scripts/places.ts';

it.each([...BROWSER_TESTS, ...Object.keys(BROWSER_INDEPENDENT), ...Object.entries(BROWSER_LONG).flat()])(
  '%s, which the suite of browsers names, exists',
  (path) => {
    expect(existsSync(join(root, path))).toBe(true);
  },
);

it('names for each file that `browsers` seldom repeats one that it always repeats', () => {
  const seldom = new Set([...Object.keys(BROWSER_INDEPENDENT), ...Object.keys(BROWSER_LONG)]);
  expect(Object.values(BROWSER_LONG).filter((path) => seldom.has(path))).toEqual([]);
});
