import { describe, expect, it } from 'vitest';
import { readSignatures } from '../../../src/functions/user/names.ts';
import { userSignatureText } from '../../../src/language/typing/docs.ts';

const of = (text: string) => readSignatures(text, '/tasks/shop.functions.ts');
const signatures = async (text: string) => (await of(text)).map(userSignatureText);

describe('signatures of user-defined functions, read without running them', () => {
  it.each([
    [
      'a plain function',
      'export function f(context, total: number, currency = "EUR") {}',
      'f(total: number, currency?: string)',
    ],
    ['one that takes nothing', 'export async function f({ page }) {}', 'f()'],
    [
      'optional parameters',
      'export function f(c: Context, a?: string, b: Map<string, number> = new Map()) {}',
      'f(a?: string, b?: Map<string, number>)',
    ],
    ['a rest', 'export function f(c, ...items: string[]) {}', 'f(...items?: string[])'],
    [
      'types with functions in them',
      'export function f(c, test: (a: number, b: 1) => boolean, d: { a: 1, b: 2 }) {}',
      'f(test: (a: number, b: 1) => boolean, d: { a: 1, b: 2 })',
    ],
    ['an arrow function', 'export const f = async ({ page }, name: string): Promise<number> => 1;', 'f(name: string)'],
    ['an arrow function of one parameter', 'export const f = context => 1;', 'f()'],
    ['a function expression', 'export const f = function named(context, a) {};', 'f(a)'],
    ['a typed constant', 'export const f: (c: C, a: number) => void = (c, a) => {};', 'f(a)'],
    ['generics', 'export function f<T extends { x: (a: 1) => 2 }>(c, a: T) {}', 'f(a: T)'],
    [
      'a tuple',
      'export const f = defineFunction({ args: z.tuple([z.string(), z.number().int().min(0).optional()]), async run({ page }, name, count) {} });',
      'f(name: string, count?: number)',
    ],
    [
      'a tuple without parameters of run',
      'export const f = defineFunction({ args: z.tuple([z.string()]), run() { return 1; } });',
      'f(argument1: string)',
    ],
    [
      'an arrow as run',
      'export const f = defineFunction({ args: z.tuple([z.array(z.string()).min(1)]), run: async (context, items) => 1 });',
      'f(items: string[])',
    ],
    [
      'choices',
      "export const f = defineFunction({ args: z.tuple([z.enum(['a', 'b']), z.literal(3)]), run: (c, which, three) => 1 });",
      "f(which: 'a' | 'b', three: 3)",
    ],
    [
      'a rest of a tuple',
      'export const f = defineFunction({ args: z.tuple([z.string()], z.number()), run(c, name, ...numbers) {} });',
      'f(name: string, ...numbers?)',
    ],
    [
      'a rest behind a tuple',
      'export const f = defineFunction({ args: z.tuple([]).rest(z.number()), run(c, ...numbers) {} });',
      'f(...numbers?)',
    ],
    ['no args', 'export const f = defineFunction({ async run({ page }) {} });', 'f()'],
    ['no args with a default', 'export const f = defineFunction({ run: (c, a = 1) => 1 });', 'f(a?: number)'],
    ['a list of exports', 'function a(c, x) {}\nconst b = (c, y) => 1;\nexport { a as f, b };', 'f(x) b(y)'],
  ])('%s', async (_, text, seen) => {
    expect((await signatures(text)).join(' ')).toBe(seen);
  });

  it.each([
    ['a schema in a variable', 'export const f = defineFunction({ args: schema, run(c, a) {} });'],
    ['args in shorthand notation', 'export const f = defineFunction({ args, run(c, a) {} });'],
    [
      'a tuple with a schema in a variable',
      'export const f = defineFunction({ args: z.tuple([item]), run(c, a) {} });',
    ],
    [
      'a schema that may be optional',
      'export const f = defineFunction({ args: z.tuple([z.union([z.string(), z.undefined()])]), run(c, a) {} });',
    ],
    [
      'a union of tuples',
      'export const f = defineFunction({ args: z.tuple([z.string()]).or(z.tuple([])), run(c, a) {} });',
    ],
    ['a spread definition', 'export const f = defineFunction({ ...base, run(c, a) {} });'],
    ['a definition in a variable', 'export const f = defineFunction(definition);'],
    ['a call of another function', 'export const f = make((c, a) => 1);'],
    ['overloads', 'export function f(c, a: string): 1;\nexport function f(c, a: number) {}'],
    ['another file', "export { f } from './other.ts';"],
    ['one rest parameter', 'export function f(...all) {}'],
    ['an expression in brackets', 'export const f = (a, b);'],
    ['incomplete text', 'export const f = defineFunction({ args: z.tuple(['],
  ])('%s: unknown parameters', async (_, text) => {
    expect(await signatures(text)).toEqual(['f(…)']);
  });

  it.each([
    [
      'its comment',
      '/**\n * Counts items.\n *\n * All of them.\n * @param total how many\n */\nexport async function f() {}',
      'Counts items.\n\nAll of them.',
    ],
    ['the comment of a constant', '/** Counts. */\nexport const f = (c) => 1;', 'Counts.'],
    ['the comment of a function that is exported below', '/** Counts. */\nfunction f() {}\nexport { f };', 'Counts.'],
    [
      '`doc` rather than a comment',
      "/** No. */\nexport const f = defineFunction({ doc: 'It\\'s counted.', run() {} });",
      "It's counted.",
    ],
    ['no comment of another declaration', '/** Other. */\nconst a = 1;\nexport function f() {}', null],
    ['no line comment', '// Other\nexport function f() {}', null],
  ])('%s is its doc', async (_, text, doc) => {
    expect((await of(text))[0]?.doc).toBe(doc);
  });

  it.each([
    ["{ phase: 'setup', run() {} }", 'setup'],
    ['{ phase: "evaluate", run() {} }', 'evaluate'],
    ['{ phase: which, run() {} }', null],
    ['{ run() { const phase = { phase: "setup" }; } }', null],
  ])('the phase of %s is %s', async (definition, phase) => {
    expect((await of(`export const f = defineFunction(${definition});`))[0]?.phase).toBe(phase);
  });
});
