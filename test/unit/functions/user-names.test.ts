import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSignatures } from '../../../src/functions/user/names.ts';

const names = async (text: string) => (await readSignatures(text, '/tasks/shop.functions.ts')).map(({ name }) => name);

describe('names that a functions file exports, found without running it', () => {
  it.each<[string, string, string[]]>([
    ['a defined function', 'export const cart_total = defineFunction({ async run() { return 1; } });', ['cart_total']],
    [
      'plain functions',
      'export function a() {}\nexport async function b() {}\nexport function* c() {}',
      ['a', 'b', 'c'],
    ],
    ['arrow functions', 'export const a = async ({ page }) => 1, b = (x) => x, c = x => x;', ['a', 'b', 'c']],
    ['typed constants', 'export const a: Record<string, { b: 1 }> = make(), b: () => void = () => {};', ['a', 'b']],
    [
      'an export list',
      'function a() {}\nconst b = () => 1;\nexport { a, b as renamed, type C, b as default };',
      ['a', 'renamed'],
    ],
    ['another file', "export { a, b as c } from './other.ts';\nexport * from './more.ts';", ['a', 'c']],
    [
      'overloads',
      'export function a(x: 1): 1;\nexport function a(x: 2): 2;\nexport function a(x) { return x; }',
      ['a'],
    ],
    ['no semicolons', 'export const a = defineFunction({})\nexport const b = make\nconst c = () => 1', ['a', 'b']],
    ['generics', 'export const a = <T,>(x: T) => x;\nexport function b<T extends { x: 1 }>(x: T) {}', ['a', 'b']],
    [
      'CommonJS',
      'exports.a = () => 1;\nmodule.exports.b = function () {};\nexports.C = 1;\nfunction d() {}\nmodule.exports = { d, e: () => 1, f() {}, G: 1 };',
      ['a', 'b', 'd', 'e', 'f'],
    ],
    ['one object', 'const a = f();\nexport = { a, b() {} };', ['a', 'b']],
    ['a default object', 'const a = f();\nexport default { a, b() {} };', ['a', 'b']],
    ['no default function', 'export default function a() {}', []],
    ['no values that are not functions', 'export const A = 1, B = "x", C = [1], D = { a() {} }, E = `t`, F = /x/;', []],
    [
      'no types and classes',
      'export type T = 1;\nexport interface I {}\nexport class K {}\nexport enum N {}\nexport default () => 1;',
      [],
    ],
    [
      'no comments',
      '// export const a = f();\n/* export function b() {} */\nexport const c = f(); // export const d = f()',
      ['c'],
    ],
    [
      'no strings',
      "const x = 'export const a = f()';\nconst y = `export const b = ${`export function c() {}`}`;\nexport const d = f();",
      ['d'],
    ],
    ['no patterns', 'const x = /export const a = "/; export const b = f(1 / 2, "/");', ['b']],
    ['nothing in a block', 'namespace N { export const a = f(); }\nexport const b = f({ export: 1 });', ['b']],
    ['no computed value', 'export const A = -1, B = !f, C = {} as T, D = "x" satisfies string, e = (f as F);', ['e']],
    ['a value over several lines', 'export const a = make\n  .function\n  (x)\nexport const b = f\n', ['a', 'b']],
    ['a function after an unclosed bracket', 'function f() {\n  if (x) {\n\nexport function a() {}\n', ['a']],
    ['a name that is being typed', 'export function a(c, \n', ['a']],
    ['a function before a syntax error', 'export const a = f();\nexport const = ', ['a']],
  ])('%s', async (_what, text, expected) => {
    expect(await names(text)).toEqual(expected);
  });

  it('include those of files that are exported as a whole', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'taskwright-names-'));
    const file = join(folder, 'shop.functions.ts');
    await writeFile(
      join(folder, 'more.ts'),
      "export function b() {}\nexport const c = f();\nexport * from './shop.functions';",
    );
    const text =
      "export function a() {}\nexport function c() {}\nexport * from './more';\nexport * as d from './more';";
    const found = await readSignatures(text, file, (path) => readFile(path, 'utf8'));
    expect(found.map((one) => `${one.name} ${one.file.slice(folder.length + 1)}`)).toEqual([
      'a shop.functions.ts',
      'c shop.functions.ts',
      'b more.ts',
    ]);
    await rm(folder, { recursive: true });
  });

  it('have their range', async () => {
    expect(await readSignatures('\n  export const total = f();\r\n', '/x.functions.mjs')).toMatchObject([
      { name: 'total', range: { start: { line: 1, character: 15 }, end: { line: 1, character: 20 } } },
    ]);
  });

  it('are read in files with such a name only', async () => {
    expect(await readSignatures('export const a = f()', '/tasks/shop.ts')).toEqual([]);
  });

  it('are read from any text without an error', async () => {
    for (const text of [
      '`${',
      '/',
      '"',
      '/*',
      'export',
      'export {',
      'export const',
      '`${`${`',
      '#!node\nexport function a() {}',
    ]) {
      await expect(names(text)).resolves.toBeInstanceOf(Array);
    }
  });
});
