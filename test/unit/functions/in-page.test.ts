import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
// @ts-expect-error: the build's scripts have no types.
import { inPageForEsbuild } from '../../../scripts/in-page.mjs';
import { listNames } from '../../../src/functions/page/in-page/list-names.ts';
import { sourceOf, sourceOfAll } from '../../../src/functions/page/source-of.ts';
import { temporaryFolder } from '../runs/tasks.ts';

/** What a module outside gets of `in-page/one.ts`. */
async function importing(module: string, helper = ''): Promise<Record<string, never>> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'in-page'));
  await writeFile(join(folder, 'in-page', 'one.ts'), module);
  await writeFile(join(folder, 'helper.ts'), helper);
  await writeFile(join(folder, 'main.ts'), `export * from './in-page/one.ts';`);
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'main.ts')],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'main',
    logLevel: 'silent',
    plugins: [inPageForEsbuild],
  });
  return runInNewContext(`${outputFiles[0]?.text}; main`);
}

describe('a module in a folder in-page', () => {
  it('is imported as source text, with its own imports', async () => {
    const { twice } = await importing(
      `import { add } from '../helper.ts'; export const twice = (one: number) => add(one, one);`,
      'export function add(a: number, b: number): number { return a + b; }',
    );
    expect(runInNewContext(`${sourceOf(twice as never)}(21)`)).toBe(42);
    expect(() => (twice as unknown as () => void)()).toThrow('twice runs in pages only');
  });

  it('is evaluated once for several of its functions', async () => {
    const { next, last } = await importing(
      'let count = 0; export function next() { return ++count; } export const last = () => count;',
    );
    const functions = [[next, 'a'] as const, [last, 'b'] as const];
    expect(runInNewContext(`const { a, b } = ${sourceOfAll(functions as never)}; a(); a(); b()`)).toBe(2);
  });

  it.each([
    ['exports something else than a function', 'export const LIMIT = 3;', 'LIMIT, which is not a function'],
    ['touches the page when it is evaluated', 'const all = document.all; export const f = () => all;', 'document'],
    ['needs Node', `import { readFileSync } from 'node:fs'; export const f = readFileSync;`, 'node:fs'],
  ])('is rejected if it %s', async (_, module, message) => {
    await expect(importing(module)).rejects.toThrow(message);
  });

  it('has the same source text in tests', () => {
    expect(runInNewContext(`typeof ${sourceOf(listNames)}`)).toBe('function');
    expect(sourceOf(listNames)).toContain('querySelectorAll');
  });
});
