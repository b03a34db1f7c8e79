import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import type { UserFunctionSet } from '../../../src/functions/user/load.ts';
import { readSignatures } from '../../../src/functions/user/names.ts';
import { argumentSchemas } from '../../../src/functions/user/schemas.ts';
import { z } from '../../../src/functions/user/taskwright.ts';
import { diagnose } from '../../../src/language/findings/diagnose.ts';
import { readTasks } from '../../../src/tasks/read.ts';

/** A set of one loaded function `f` with this schema. */
function loaded(args: unknown): UserFunctionSet {
  const one = { name: 'f', file: '/f.functions.ts', phase: undefined, args: args as never, run: () => 1 };
  return { functions: new Map([['f', one]]), tasks: new Map(), failures: [] };
}

/** What is said of a call of `f` once a run has loaded it; its text says nothing of its arguments. */
async function said(schema: z.ZodType, args: readonly Json[]): Promise<string[]> {
  const text = 'export const f = defineFunction({ args: shared, run() {} });';
  const [signature] = await readSignatures(text, '/f.functions.ts');
  const told = argumentSchemas(loaded(schema))['f'];
  if (signature === undefined) throw new Error('f is exported');
  const own = new Map([['f', told === undefined ? signature : { ...signature, schema: told }]]);
  const task = { id: 'a', prompt: 'p', gym: 'hud-browser', evaluate: { function: 'f', args } };
  return diagnose(readTasks('/a.task.json', JSON.stringify(task)), own).map(
    ({ code, message }) => `${code}: ${message}`,
  );
}

describe('parameters of user-defined functions after a run has loaded them', () => {
  const total = z.tuple([z.number().min(0), z.enum(['EUR', 'USD']).optional()]);

  it('are checked by their schemas', async () => {
    expect(await said(total, [1])).toEqual([]);
    expect(await said(total, [1, 'USD'])).toEqual([]);
    expect(await said(total, [-1])).toEqual([expect.stringContaining('f(argument1, argument2?): “argument1”')]);
    expect(await said(total, [1, 'GBP'])).toEqual([expect.stringContaining('argument2')]);
    expect(await said(total, [])).toEqual([expect.stringMatching(/^missing-argument: .*“argument1” is missing/)]);
    expect(await said(total, [1, 'EUR', 2])).toEqual([expect.stringMatching(/^too-many-arguments: /)]);
  });

  it.each([
    ['a number that is read from a text', z.tuple([z.coerce.number()]), ['5']],
    ['a text that is brought into form first', z.tuple([z.preprocess((value) => String(value), z.string())]), [5]],
    ['a value that is replaced', z.tuple([z.string().catch('x')]), [5]],
    ['a length after trimming', z.tuple([z.string().trim().max(1)]), [' a ']],
    ['a pattern, which may never end', z.tuple([z.string().regex(/^(a+)+$/)]), [`${'a'.repeat(40)}b`]],
    ['an address', z.tuple([z.url()]), ['no address']],
    ['what JSON Schema cannot say', z.tuple([z.date()]), ['today']],
  ] as const)('%s is left to the function', async (_, schema, args) => {
    expect(await said(schema, args)).toEqual([]);
  });

  it('are unknown if the schema is of another library', () => {
    expect(argumentSchemas(loaded({ safeParse: () => ({ success: true, data: [] }) }))).toEqual({});
  });
});
