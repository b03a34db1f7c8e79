import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { realPathOf, type Withheld } from '../../../environments/withheld.ts';
import { withheldEntries } from '../../../environments/withheld-entries.ts';
import { type IgnoreRules, isIgnored, rulesIn } from '../../../tasks/ignore-rules.ts';
import { describeSystemError } from '../../../tasks/system-error.ts';
import { ServerError } from '../../placement.ts';
import type { BuildContext } from '../image.ts';

/** Never part of a context: no controller needs them, and they are large or written by Python itself. */
const LEFT_OUT = new Set(['.git', '__pycache__', 'node_modules', '.venv']);
/** More than this is no build context but somebody's home. */
const MOST_FILES = 20_000;
const MOST_BYTES = 200 * 1024 * 1024;

/** A file of a build context. */
export interface ContextFile {
  /** Below the context's folder, with `/`. */
  readonly name: string;
  readonly path: string;
  readonly size: number;
  /** When it was changed last, in ms. */
  readonly changed: number;
}

/**
 * The files of a controller's build context in the order of their names, without what `.hudignore` files leave out
 * (gitignore's syntax; those of folders inside count too) and without what the run withholds: the controller answers an
 * agent. Links are not followed. Rejects with `ServerError`.
 */
export async function listContext(folder: string, withheld: Withheld): Promise<ContextFile[]> {
  const found: ContextFile[] = [];
  let bytes = 0;
  const walk = async (path: string, below: string, above: readonly IgnoreRules[]): Promise<void> => {
    const own = await rulesIn(path, '.hudignore');
    const rules = own === null ? above : [...above, own];
    const entries = await readdir(path, { withFileTypes: true });
    const roles = withheldEntries(realPathOf(path), entries, withheld);
    for (const entry of entries) {
      const inner = join(path, entry.name);
      const name = below === '' ? entry.name : `${below}/${entry.name}`;
      if (LEFT_OUT.has(entry.name) || roles.has(entry.name)) continue;
      if (entry.isDirectory()) {
        if (!isIgnored(`${inner}${sep}`, rules)) await walk(inner, name, rules);
        continue;
      }
      if (!entry.isFile() || isIgnored(inner, rules)) continue;
      const { size, mtimeMs } = await stat(inner);
      bytes += size;
      found.push({ name, path: inner, size, changed: mtimeMs });
      if (found.length > MOST_FILES || bytes > MOST_BYTES) throw tooLarge(folder);
    }
  };
  try {
    await walk(folder, '', []);
  } catch (error) {
    if (error instanceof ServerError) throw error;
    throw new ServerError(
      'context_unreadable',
      `The environment's folder cannot be read: ${describeSystemError(error)}`,
      {
        cause: error,
      },
    );
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * What an image of a controller is built from. Its name is that of the folder, its tag says all that is in it.
 * @param dockerfile path of the Dockerfile, where it is not the one in the folder
 */
export async function customContext(
  folder: string,
  dockerfile: string | null,
  withheld: Withheld,
): Promise<BuildContext> {
  const listed = await listContext(folder, withheld);
  const own = listed.find(({ name }) => name === 'Dockerfile');
  const recipe = dockerfile ?? own?.path;
  if (recipe === undefined) {
    throw new ServerError(
      'context_unreadable',
      `There is no Dockerfile in ${folder}, so no image can be built of it. Add one, or run the task with --placement local, which needs python3 alone.`,
    );
  }
  const files = [
    { name: 'Dockerfile', path: recipe, size: (await stat(recipe)).size },
    ...listed.filter((file) => file !== own),
  ];
  const hash = createHash('sha256');
  for (const { name, path, size } of files) hash.update(`${name}\0${size}\0`).update(await readFile(path));
  const place = createHash('sha256').update(folder).digest('hex').slice(0, 8);
  return {
    tag: `taskwright-custom-${place}:${hash.digest('hex').slice(0, 16)}`,
    dockerfile: recipe,
    kind: 'custom',
    files,
  };
}

function tooLarge(folder: string): ServerError {
  return new ServerError(
    'folder_too_large',
    `The environment's folder ${folder} holds more than ${MOST_FILES.toLocaleString('en')} files or ${MOST_BYTES / 1024 / 1024} MB, too much to be handed to Docker: leave out what the controller does not need in a .hudignore.`,
  );
}
