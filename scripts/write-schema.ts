// Writes schemas/task-file.schema.json, the JSON Schema of task files for other editors. A part of the build.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { taskFileSchema } from '../src/language/schema/task-file.ts';
import { root } from './places.ts';

const folder = join(root, 'schemas');
await mkdir(folder, { recursive: true });
await writeFile(join(folder, 'task-file.schema.json'), `${JSON.stringify(taskFileSchema(), null, 1)}\n`);
