import { readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import * as z from 'zod';
import { parseJson } from '../../../base/parse-json.ts';
import { matchPaths } from './tsconfig.ts';

/** The endings that replace an ending in an import, as in Playwright's tests. */
const ENDINGS: readonly (readonly [string, readonly string[]])[] = [
  ['.js', ['.jsx', '.ts', '.tsx']],
  ['.jsx', ['.tsx']],
  ['.cjs', ['.cts']],
  ['.mjs', ['.mts']],
  ['', ['.js', '.ts', '.jsx', '.tsx', '.cjs', '.mjs', '.cts', '.mts', '.json']],
];

/**
 * The absolute path of the file that an import of a relative path, an absolute path, or a path of tsconfig.json means, with or
 * without its ending; undefined if there is none.
 *
 * @param from absolute path of the file that imports it
 */
export function resolveImport(specifier: string, from: string): string | undefined {
  if (isShare(specifier)) return undefined;
  if (isPath(specifier)) return moduleAt(resolve(dirname(from), specifier));
  return matchPaths(specifier, from)
    .map(moduleAt)
    .find((path) => path !== undefined);
}

/** Whether an import is a path, and not the name of a package. */
export function isPath(specifier: string): boolean {
  return /^\.{1,2}(?:\/|$)/.test(specifier) || isAbsolute(specifier);
}

/** Whether an import is a path of a network share, which is not accessed while the user types. */
export function isShare(specifier: string): boolean {
  return /^[\\/]{2}/.test(specifier);
}

function moduleAt(path: string): string | undefined {
  const file = fileAt(path);
  if (file !== undefined || statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return file;
  const main = packageIn(path)?.main;
  return (main === undefined ? undefined : fileAt(resolve(path, main))) ?? fileAt(join(path, 'index'));
}

function fileAt(path: string): string | undefined {
  if (isFile(path)) return path;
  const [ending, others] = ENDINGS.find(([end]) => path.endsWith(end)) ?? ['', []];
  const base = path.slice(0, path.length - ending.length);
  return others.map((other) => base + other).find(isFile);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

const packageSchema = z.looseObject({ name: z.string().optional(), main: z.string().optional() });

/** The package.json in a folder; undefined if there is none that can be read. */
export function packageIn(folder: string): z.infer<typeof packageSchema> | undefined {
  const path = join(folder, 'package.json');
  if (!isFile(path)) return undefined;
  try {
    return packageSchema.safeParse(parseJson(readFileSync(path, 'utf8'))).data;
  } catch {
    // Node reports it if it needs it.
    return undefined;
  }
}
