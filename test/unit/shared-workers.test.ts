import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../scripts/places.ts';

/** Hooks that a module registers when it is loaded. */
const hooksOf = (text: string): readonly string[] => text.match(/^(?:before|after)(?:Each|All)\b/gm) ?? [];

// Files of these suites share a process, in which a helper is loaded once: its hooks would belong to the first of them only.
it.each(['unit', 'system', 'attacks', 'docker', 'journeys'])(
  'No helper of the suite %s registers hooks when it is loaded',
  async (suite) => {
    const folder = join(root, 'test', suite);
    const helpers = (await readdir(folder, { recursive: true })).filter((name) => /(?<!\.test)\.ts$/.test(name));
    expect(helpers.length).toBeGreaterThan(0);
    const texts = await Promise.all(helpers.map((name) => readFile(join(folder, name), 'utf8')));
    expect(helpers.filter((_, index) => hooksOf(texts[index] ?? '').length > 0)).toEqual([]);
  },
);

it('A hook of a helper is found, and a call in a function is none', () => {
  expect(hooksOf("import { afterEach } from 'vitest';\nafterEach(() => clear());\n")).toEqual(['afterEach']);
  expect(hooksOf('export function folder() {\n  afterEach(() => clear());\n}\n')).toEqual([]);
});

it('Unit tests with a VS Code of their own load the modules anew, before and after', async () => {
  const folder = join(root, 'test', 'unit');
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.test.ts'));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  const mocking = names.filter((_, index) => /^vi\.mock\('vscode'/m.test(texts[index] ?? ''));
  expect(mocking.length).toBeGreaterThan(5);
  const anew = /^vi\.hoisted\(\(\) => vi\.resetModules\(\)\);\nafterAll\(\(\) => void vi\.resetModules\(\)\);$/m;
  expect(mocking.filter((name) => !anew.test(texts[names.indexOf(name)] ?? ''))).toEqual([]);
});
