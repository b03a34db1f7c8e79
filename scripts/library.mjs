// Writes the declarations of the library: one file that refers to no other.

import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The files whose declarations are the library's. They import types of one another only. */
const FILES = ['environments/observation', 'results/job-figures', 'library/api', 'library/error', 'library/library'];

/** `await using` needs it, and the oldest supported TypeScript does not load it by itself. */
const HEAD = '/// <reference lib="esnext.disposable" />\n';

/** Writes dist/library.d.ts. */
export async function writeLibraryTypes(root) {
  const out = join(root, 'out', 'library');
  await rm(out, { recursive: true, force: true });
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const sources = FILES.map((name) => join(root, 'src', `${name}.ts`));
  // Types are checked with the sources; here each file is printed for itself.
  const options =
    '--ignoreConfig --declaration --emitDeclarationOnly --noCheck --noResolve --target es2023 --lib esnext --module esnext';
  const args = [tsc, ...sources, ...options.split(' '), '--moduleResolution', 'bundler', '--outDir', out];
  await promisify(execFile)(process.execPath, args, { cwd: root });
  const texts = await Promise.all(FILES.map((name) => readFile(join(out, `${name}.d.ts`), 'utf8')));
  const own = texts.map((text) =>
    text.replaceAll(/^(?:import|export) (?:type )?(?:\{[^}]*\}|\*) from '\.\.?\/[^']+';\n/gm, ''),
  );
  const types = HEAD + own.join('');
  const foreign = /\bfrom ['"]|\bimport\(/.exec(types);
  if (foreign !== null)
    throw new Error(`library.d.ts refers to another file: ${types.slice(foreign.index).split('\n')[0]}`);
  await writeFile(join(root, 'dist', 'library.d.ts'), types);
}
