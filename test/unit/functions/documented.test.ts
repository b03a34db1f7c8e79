import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { builtins } from '../../../src/functions/catalogue.ts';
import { environmentKinds } from '../../../src/functions/declaration.ts';

it('the documentation lists every function that can be run, with its arguments and its sentence', async () => {
  const text = await readFile(join(import.meta.dirname, '..', '..', '..', 'docs', 'functions.md'), 'utf8');
  const rows = text.split('\n').filter((line) => line.startsWith('| `'));
  const expected = builtins
    .filter(({ notRun }) => notRun === undefined)
    .map(({ name, parameters, phase, environments, doc, aliases = [] }) => {
      const also = aliases.length === 0 ? '' : ` Also \`${aliases.join('`, `')}\`.`;
      const where = environments.length === environmentKinds.length ? 'all' : environments.join(', ');
      return `| \`${name}(${parameters.join(', ')})\` | ${phase} | ${where} | ${doc}${also} |`;
    });
  expect(rows).toEqual(expected);
});
