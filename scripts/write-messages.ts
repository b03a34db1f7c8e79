// Writes l10n/bundle.l10n.json, the texts that the extension and its webviews show. A part of the build.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleOf, readMessages } from './messages.ts';
import { root } from './places.ts';

const folder = join(root, 'l10n');
await mkdir(folder, { recursive: true });
await writeFile(join(folder, 'bundle.l10n.json'), bundleOf(await readMessages()));
