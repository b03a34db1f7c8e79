import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createVSIX } from '@vscode/vsce';
import { transform } from 'esbuild';
import { glob } from 'tinyglobby';
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
  const stage = join(folder, 'staged');
  await rm(stage, { recursive: true, force: true });
  for (const file of [...(await allowedFiles()), '.vscodeignore']) {
    await mkdir(dirname(join(stage, file)), { recursive: true });
    if (BLANK.test(file)) await writeFile(join(stage, file), await withoutBlanks(join(root, file)));
    else await copyFile(join(root, file), join(stage, file));
  }
  await createVSIX({ cwd: stage, packagePath, allowMissingRepository: true, rewriteRelativeLinks: false });
  await rm(stage, { recursive: true, force: true });
  return packagePath;
}

/**
 * The files that `.vscodeignore` allows. `listFiles` of vsce looks at every file of the repository's folder, which takes a
 * minute where the Python packages of the tests are installed in out/.
 */
async function allowedFiles(): Promise<readonly string[]> {
  const lines = (await readFile(join(root, '.vscodeignore'), 'utf8')).split('\n');
  const exceptions = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
  return glob(exceptions, { cwd: root, dot: true, expandDirectories: false });
}

/** A program without whitespace and comments except licenses. Its names stay, because Playwright reads some of them. */
async function withoutBlanks(path: string): Promise<string> {
  const text = await readFile(path, 'utf8');
  return (await transform(text, { minifyWhitespace: true, legalComments: 'inline', target: 'node22' })).code;
}
