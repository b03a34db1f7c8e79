// Writes docs/rules, a page for every code of a finding. A part of the build.

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rulePages } from '../src/language/rules/page.ts';
import { root } from './places.ts';

const folder = join(root, 'docs', 'rules');
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
for (const [name, text] of rulePages()) await writeFile(join(folder, name), text);
