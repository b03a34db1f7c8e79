import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** `*.functions.ts|js|mjs|py` */
export function isFunctionsFileName(name: string): boolean {
  return /\.functions\.(?:ts|js|mjs|py)$/.test(name);
}

/** Whether the functions of a functions file are Python's. */
export function isPython(file: string): boolean {
  return file.endsWith('.py');
}

/** Absolute paths of the functions files that stand in the folder, in the order of their names. */
export async function functionsFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory() && isFunctionsFileName(entry.name))
    .map((entry) => join(folder, entry.name))
    .sort();
}
