import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { functionsPage, responseFunctionsModule } from '../../../scripts/functions-text.ts';

const root = join(import.meta.dirname, '../../..');

it('docs/functions.md has the table of the declarations (npm run build writes it)', async () => {
  const page = await readFile(join(root, 'docs/functions.md'), 'utf8');
  expect(functionsPage(page)).toBe(page);
  expect(functionsPage(page.replace(/\| `goto.*\n/, ''))).toBe(page);
  expect(() => functionsPage('# Functions\n')).toThrow('has no marks');
});

it('src/tasks/response-functions.ts has the names of the declarations (npm run build writes it)', async () => {
  const module = await readFile(join(root, 'src/tasks/response-functions.ts'), 'utf8');
  expect(responseFunctionsModule()).toBe(module);
});
