import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { BROWSER_INDEPENDENT, BROWSER_TESTS } from '../../scripts/browser-tests.ts';
import { root } from '../../scripts/places.ts';

it.each([...BROWSER_TESTS, ...Object.keys(BROWSER_INDEPENDENT)])(
  '%s, which the suite of browsers names, exists',
  (path) => {
    expect(existsSync(join(root, path))).toBe(true);
  },
);
