import { join, relative, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { readOrdinaryFile } from './file-kind.ts';
import { isResourceExhausted } from './resource-exhausted.ts';

/** The rules of a file such as `.gitignore`, for paths below its folder. */
export interface IgnoreRules {
  readonly folder: string;
  readonly rules: Ignore;
}

/** Reads the ignore file of a folder; null if it does not exist or cannot be read. */
export async function rulesIn(folder: string, name: string): Promise<IgnoreRules | null> {
  try {
    return { folder, rules: ignore().add((await readOrdinaryFile(join(folder, name))).toString('utf8')) };
  } catch (error) {
    if (isResourceExhausted(error)) throw error;
    // The file is missing, or git could not read it either.
    return null;
  }
}

/** As in git, the innermost matching rule decides. The path of a folder ends with the separator. */
export function isIgnored(path: string, rules: readonly IgnoreRules[]): boolean {
  for (const { folder, rules: own } of rules.toReversed()) {
    const below = relative(folder, path).split(sep).join('/');
    const result = own.test(path.endsWith(sep) ? `${below}/` : below);
    if (result.ignored) return true;
    if (result.unignored) return false;
  }
  return false;
}
