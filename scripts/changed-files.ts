import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { readImports } from './import-rules.ts';
import { root } from './places.ts';

/** The paths in the output of git commands, each once. */
export function changedFiles(...outputs: readonly string[]): readonly string[] {
  return [...new Set(outputs.flatMap((output) => output.split('\n')))].filter((path) => path !== '').sort();
}

/**
 * The test files below `folder` that import a changed file, those first that import it over the fewest other files. A
 * changed test file is the first of all. Programs that a test starts are not imports.
 * @param changes paths relative to the repository, as the results are
 */
export function nearestTests(changes: readonly string[], folder: string, base = root): readonly string[] {
  const targets = new Set(changes);
  const importsOf = cachedImports(base);
  const distances: { readonly file: string; readonly distance: number }[] = [];
  for (const name of readdirSync(join(base, folder), { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.test.ts')) continue;
    const file = `${folder}/${name.replaceAll(sep, '/')}`;
    const distance = distanceTo(targets, file, importsOf);
    if (distance !== null) distances.push({ file, distance });
  }
  return distances.sort((a, b) => a.distance - b.distance || a.file.localeCompare(b.file)).map(({ file }) => file);
}

/**
 * The first files that together take at most `limit` seconds; the file that takes the least if each takes longer.
 * @param secondsOf undefined if the time of a file is not known: it then counts as a quarter of the limit
 */
export function withinSeconds(
  files: readonly string[],
  limit: number,
  secondsOf: (file: string) => number | undefined,
): readonly string[] {
  const durations = files.map((file) => ({ file, seconds: secondsOf(file) ?? limit / 4 }));
  let remaining = limit;
  const selection = durations.filter(({ seconds }) => {
    if (seconds > remaining) return false;
    remaining -= seconds;
    return true;
  });
  const shortest = durations.sort((a, b) => a.seconds - b.seconds).slice(0, 1);
  return (selection.length > 0 ? selection : shortest).map(({ file }) => file);
}

/** How many imports lead from `file` to the nearest of the targets; null if none does. */
function distanceTo(
  targets: ReadonlySet<string>,
  file: string,
  importsOf: (file: string) => readonly string[],
): number | null {
  const visitedFiles = new Set([file]);
  let front = [file];
  for (let distance = 0; front.length > 0; distance += 1) {
    if (front.some((path) => targets.has(path))) return distance;
    front = front.flatMap(importsOf).filter((path) => !visitedFiles.has(path) && visitedFiles.add(path));
  }
  return null;
}

/** The files of the repository that a file imports, read once. */
function cachedImports(base: string): (file: string) => readonly string[] {
  const cache = new Map<string, readonly string[]>();
  return (file) => {
    const entry = cache.get(file);
    if (entry !== undefined) return entry;
    const path = join(base, file);
    const imports = /\.[cm]?[jt]s$/.test(file) && existsSync(path) ? readImports(readFileSync(path, 'utf8')) : [];
    const files = imports
      .filter(({ specifier }) => specifier.startsWith('.'))
      .map(({ specifier }) => resolve(dirname(path), specifier))
      .filter((target) => existsSync(target) && statSync(target).isFile())
      .map((target) => relative(base, target).replaceAll(sep, '/'));
    cache.set(file, files);
    return files;
  };
}
