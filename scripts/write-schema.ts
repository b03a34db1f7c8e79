// Writes the JSON Schemas in schemas/: of task files for other editors, and of the types of HUD 0.6. A part of the build.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hudTypesSchema } from '../src/formats/runs/hud/types/json-schema.ts';
import { taskFileSchema } from '../src/language/schema/task-file.ts';
import { root } from './places.ts';

const folder = join(root, 'schemas');
await mkdir(folder, { recursive: true });
for (const [name, schema] of [
  ['task-file', taskFileSchema()],
  ['hud-0.6', hudTypesSchema()],
] as const) {
  await writeFile(join(folder, `${name}.schema.json`), `${JSON.stringify(schema, null, 1)}\n`);
}
