import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createVSIX, listFiles } from '@vscode/vsce';
import { transform } from 'esbuild';
import { outFolder, root } from './places.ts';

/** The programs of playwright-core are a third of the VSIX, and a sixth of them is blank. */
const BLANK = /^node_modules\/playwright-core\/lib\/.*\.js$/;

/**
 * Packs the files that `.vscodeignore` allows, including the build in dist/, into a VSIX in `folder`, and returns its path.
 */
export async function packageVsix(folder: string = outFolder): Promise<string> {
  const { name, version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  await mkdir(folder, { recursive: true });
  const packagePath = join(folder, `${name}-${version}.vsix`);
  const staged = join(folder, 'staged');
  await rm(staged, { recursive: true, force: true });
  const files = await listFiles({ cwd: root });
  for (const file of [...files, '.vscodeignore']) {
    await mkdir(dirname(join(staged, file)), { recursive: true });
    if (BLANK.test(file)) await writeFile(join(staged, file), await withoutBlanks(join(root, file)));
    else await copyFile(join(root, file), join(staged, file));
  }
  await createVSIX({ cwd: staged, packagePath, allowMissingRepository: true, rewriteRelativeLinks: false });
  await rm(staged, { recursive: true, force: true });
  return packagePath;
}

/** A program without comments (but licenses) and blanks; its names stay, which Playwright reads some of. */
async function withoutBlanks(path: string): Promise<string> {
  const text = await readFile(path, 'utf8');
  return (await transform(text, { minifyWhitespace: true, legalComments: 'inline', target: 'node22' })).code;
}
