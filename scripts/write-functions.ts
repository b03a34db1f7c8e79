// Writes what the declarations of built-in functions say to docs/functions.md and src/tasks/. A part of the build.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { functionsPage, responseFunctionsModule } from './functions-text.ts';
import { root } from './places.ts';

const page = join(root, 'docs', 'functions.md');
await writeFile(page, functionsPage(await readFile(page, 'utf8')));
await writeFile(join(root, 'src', 'tasks', 'response-functions.ts'), responseFunctionsModule());
