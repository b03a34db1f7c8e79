import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { type IgnoreRules, isIgnored, rulesIn } from '../../../base/ignore-rules.ts';
import { describeSystemError } from '../../../base/system-error.ts';
import { realPathOf, type Withheld } from '../../../environments/withheld.ts';
import { withheldEntries } from '../../../environments/withheld-entries.ts';
import { PYTHON } from '../../../tasks/recognition.ts';
import { ServerError } from '../../placement.ts';
import { type BuildContext, type ContextFile, fileAt, hashOf } from '../image.ts';

/** Never part of a build context: large, written by Python itself, and not needed by controllers. */
const LEFT_OUT = new Set(['.git', '__pycache__', 'node_modules', '.venv']);
/** Limits that catch a home folder used as build context by mistake. */
const MAX_FILES = 20_000;
const MAX_BYTES = 200 * 1024 * 1024;

export interface FolderFile extends ContextFile {
  /** Modification time in ms. */
  readonly changeTime: number;
}

/**
 * The files of the build context of a controller, sorted by name. Excludes what `.hudignore` files in it exclude
 * (gitignore syntax, also in subfolders) and withheld files, because the controller answers an agent. Does not follow
 * links. Rejects with `ServerError`.
 * @param code whether Python files that are withheld are part of the environment, which may write its tasks in its code
 */
export async function listContext(
  folder: string,
  withheld: Withheld,
  { code = false }: { readonly code?: boolean } = {},
): Promise<FolderFile[]> {
  const files: FolderFile[] = [];
  let bytes = 0;
  const walk = async (path: string, prefix: string, above: readonly IgnoreRules[]): Promise<void> => {
    const ownRules = await rulesIn(path, '.hudignore');
    const rules = ownRules === null ? above : [...above, ownRules];
    const entries = await readdir(path, { withFileTypes: true });
    const roles = withheldEntries(realPathOf(path), entries, withheld);
    for (const entry of entries) {
      const entryPath = join(path, entry.name);
      const name = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
      if (LEFT_OUT.has(entry.name) || (roles.has(entry.name) && !(code && PYTHON.test(entry.name)))) continue;
      if (entry.isDirectory()) {
        if (!isIgnored(`${entryPath}${sep}`, rules)) await walk(entryPath, name, rules);
        continue;
      }
      if (!entry.isFile() || isIgnored(entryPath, rules)) continue;
      const { size, mtimeMs } = await stat(entryPath);
      bytes += size;
      files.push({ name, path: entryPath, size, changeTime: mtimeMs });
      if (files.length > MAX_FILES || bytes > MAX_BYTES) throw tooLarge(folder);
    }
  };
  try {
    await walk(folder, '', []);
  } catch (error) {
    if (error instanceof ServerError) throw error;
    const message = `The environment's folder cannot be read: ${describeSystemError(error)}`;
    throw new ServerError('context_unreadable', message, { cause: error });
  }
  return files.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * The build context of the image of a controller. The name of the image identifies the folder, its tag the content.
 * @param dockerfile path of the Dockerfile, if it is not the one in the folder
 */
export async function customContext(
  folder: string,
  dockerfile: string | null,
  withheld: Withheld,
  options?: Parameters<typeof listContext>[2],
): Promise<BuildContext> {
  const folderFiles = await listContext(folder, withheld, options);
  const contextDockerfile = folderFiles.find(({ name }) => name === 'Dockerfile');
  const recipe = dockerfile ?? contextDockerfile?.path;
  if (recipe === undefined) {
    throw new ServerError(
      'context_unreadable',
      `There is no Dockerfile in ${folder}, so its image cannot be built. Add a Dockerfile, or run the task on this machine (\`--placement local\`), which only needs python3.`,
    );
  }
  const files = [await fileAt('Dockerfile', recipe), ...folderFiles.filter((file) => file !== contextDockerfile)];
  const folderHash = createHash('sha256').update(folder).digest('hex').slice(0, 8);
  return { tag: `taskwright-custom-${folderHash}:${await hashOf(files)}`, dockerfile: recipe, kind: 'custom', files };
}

function tooLarge(folder: string): ServerError {
  return new ServerError(
    'folder_too_large',
    `The environment's folder ${folder} holds more than ${MAX_FILES.toLocaleString('en')} files or ${MAX_BYTES / 1024 / 1024} MB, too much to send to Docker. Exclude what the controller does not need in a .hudignore file.`,
  );
}
