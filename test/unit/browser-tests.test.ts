import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import {
  BROWSER_CASES,
  BROWSER_FILES,
  BROWSER_INDEPENDENT,
  BROWSER_LONG,
  BROWSER_TESTS,
  browserDigest,
} from '../../scripts/browser-tests.ts';
import { root } from '../../scripts/places.ts';

it.each([
  ...BROWSER_TESTS,
  ...BROWSER_FILES,
  ...Object.keys(BROWSER_INDEPENDENT),
  ...Object.entries(BROWSER_LONG).flat(),
])('%s, which the suite of browsers names, exists', (path) => {
  expect(existsSync(join(root, path))).toBe(true);
});

it('names for each file that `browsers` seldom repeats one that it always repeats', () => {
  const seldom = new Set([...Object.keys(BROWSER_INDEPENDENT), ...Object.keys(BROWSER_LONG)]);
  expect(Object.values(BROWSER_LONG).filter((path) => seldom.has(path))).toEqual([]);
});

it.each(Object.entries(BROWSER_CASES).flatMap(([file, names]) => names.map((name) => [file, name] as const)))(
  '%s has the test “%s”',
  (file, name) => {
    expect(readFileSync(join(root, file), 'utf8')).toContain(`'${name}'`);
  },
);

it('repeats all tests if what drives a browser changes, and only then', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'taskwright-digest-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const part of ['src/environments/browser', 'src/server', 'package.json'])
    await cp(join(root, part), join(folder, part), { recursive: true });
  const before = browserDigest(folder);
  expect(before).toBe(browserDigest(root));
  await writeFile(join(folder, 'src/server/sessions.ts'), '');
  expect(browserDigest(folder)).toBe(before);
  await writeFile(join(folder, 'src/server/browser.ts'), '');
  const changed = browserDigest(folder);
  expect(changed).not.toBe(before);
  await writeFile(join(folder, 'src/environments/browser/environment.ts'), '');
  expect(browserDigest(folder)).not.toBe(changed);
});
