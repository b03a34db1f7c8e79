import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isResourceExhausted } from '../../../base/resource-exhausted.ts';

const PACKAGE = '__init__.py';
/** A larger module is data. */
const MAX_MODULE = 256_000;
/** The files that a module can be, of which Python takes the first that exists. */
export function moduleFiles(file: string, module: string): readonly string[] {
  const dots = /^\.*/.exec(module)?.[0].length ?? 0;
  const folder = join(dirname(file), ...Array.from({ length: Math.max(0, dots - 1) }, () => '..'));
  const path = join(folder, ...module.slice(dots).split('.'));
  return [join(path, PACKAGE), `${path}.py`];
}

/** The version of a module's file; null if there is none, or if it is too large to be a module. */
export function moduleStamp(path: string): string | null {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats?.isFile() === true && stats.size <= MAX_MODULE ? `${stats.mtimeMs} ${stats.size}` : null;
  } catch (error) {
    if (isResourceExhausted(error)) throw error;
    // A folder that cannot be searched.
    return null;
  }
}

/** The text of a module's file; null if it cannot be read. */
export function moduleText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isResourceExhausted(error)) throw error;
    return null;
  }
}

const IMPORTS_HUD =
  /(?:^|[;:])[ \t\f]*(?:from(?:[ \t\f]|\\\r?\n)+hud\b|import(?:[ \t\f]|\\\r?\n)(?:[^\r\n#\\]|\\\r?\n)*\bhud\b)/m;

/** Whether a Python text imports `hud`, or can. Checks only the text, without a parser. */
export function importsHud(text: string): boolean {
  return IMPORTS_HUD.test(text);
}

const IMPORT = /^[ \t\f]*(?:from[ \t\f]+([.\w]+)[ \t\f]+import\b|import[ \t\f]+([\w.]+))/gm;

/** The files next to a Python file that it may import, whether they exist or not. */
export function importedFiles(file: string, text: string): readonly string[] {
  return importsOf(text).flatMap((module) => moduleFiles(file, module));
}

function importsOf(text: string): readonly string[] {
  return [...new Set([...text.matchAll(IMPORT)].map(([, from, module]) => from ?? module ?? ''))];
}

interface Facts {
  readonly stamp: string;
  readonly importsHud: boolean;
  readonly imports: readonly string[];
}

const cache = new Map<string, Facts>();
/** Files whose facts are kept. */
const MAX_KNOWN = 10_000;

function factsOf(path: string): Facts | null {
  const stamp = moduleStamp(path);
  if (stamp === null) return null;
  const cachedFacts = cache.get(path);
  if (cachedFacts?.stamp === stamp) return cachedFacts;
  const text = moduleText(path);
  if (text === null) return null;
  const facts = { stamp, importsHud: importsHud(text), imports: importsOf(text) };
  if (cache.size >= MAX_KNOWN) cache.clear();
  cache.set(path, facts);
  return facts;
}

/** Whether a text imports a module next to it that imports `hud`, directly or through a package. */
export function importsHudModule(file: string, text: string): boolean {
  return reachesHud(file, importsOf(text), true);
}

function reachesHud(file: string, imports: readonly string[], throughPackages: boolean): boolean {
  return imports.some((module) =>
    moduleFiles(file, module).some((path) => {
      const facts = path === file ? null : factsOf(path);
      if (facts === null) return false;
      if (facts.importsHud) return true;
      return throughPackages && basename(path) === PACKAGE && reachesHud(path, facts.imports, false);
    }),
  );
}
