import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { canCall, KINDS } from '../../../src/environments/kinds.ts';
import { builtins } from '../../../src/functions/catalogue.ts';

it('the documentation lists all functions that can run, with their arguments and sentences', async () => {
  const text = await readFile(join(import.meta.dirname, '..', '..', '..', 'docs', 'functions.md'), 'utf8');
  const rows = text.split('\n').filter((line) => line.startsWith('| `'));
  const expected = builtins
    .filter(({ notRun }) => notRun === undefined)
    .map(({ name, parameters, phase, needs, doc, aliases = [] }) => {
      const also = aliases.length === 0 ? '' : ` Also \`${aliases.join('`, `')}\`.`;
      const where =
        needs.length === 0
          ? 'all'
          : KINDS.filter((kind) => canCall({ needs }, kind))
              .map(({ name }) => name)
              .join(', ');
      return `| \`${name}(${parameters.join(', ')})\` | ${phase} | ${where} | ${doc}${also} |`;
    });
  expect(rows).toEqual(expected);
});
