import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createVSIX } from '@vscode/vsce';
import { outFolder, root } from './places.ts';

/**
 * Packs the files that `.vscodeignore` allows, including the build in dist/, into a VSIX in `folder`, and returns its path.
 */
export async function packageVsix(folder: string = outFolder): Promise<string> {
  const { name, version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  await mkdir(folder, { recursive: true });
  const packagePath = join(folder, `${name}-${version}.vsix`);
  await createVSIX({ cwd: root, packagePath, allowMissingRepository: true, rewriteRelativeLinks: false });
  return packagePath;
}
