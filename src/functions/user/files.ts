import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** `*.functions.ts|js|mjs|py` */
export function isFunctionsFileName(name: string): boolean {
  return /\.functions\.(?:ts|js|mjs|py)$/.test(name);
}

/** Whether a functions file is a Python file. */
export function isPython(file: string): boolean {
  return file.endsWith('.py');
}

/** The maximum number of Python files that are read in a folder. */
const MAX_PYTHON_FILES = 100;

/** The absolute paths of the first Python files in the folder, sorted by name. */
export async function pythonFiles(folder: string): Promise<string[]> {
  const files = await list(folder, (entry) => entry.isFile() && isPython(entry.name));
  return files.slice(0, MAX_PYTHON_FILES);
}

/** The absolute paths of the functions files in the folder, sorted by name. */
export function functionsFiles(folder: string): Promise<string[]> {
  return list(folder, (entry) => !entry.isDirectory() && isFunctionsFileName(entry.name));
}

async function list(folder: string, matches: (entry: Dirent) => boolean): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter(matches)
    .map(({ name }) => join(folder, name))
    .sort();
}
