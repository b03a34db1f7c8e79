import { basename, dirname, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One-based line and column in a file, as in stack traces. */
export interface ErrorLocation {
  readonly line: number;
  readonly column: number;
}

/** The first location in the file in an error's stack, or in the first line of a syntax error. */
export function locationOfError(error: unknown, file: string): ErrorLocation | undefined {
  if (!(error instanceof Error) || !error.stack) return undefined;
  for (const [, path = '', line, column] of error.stack.matchAll(
    /((?:file:\/\/|\/|[A-Za-z]:\\)[^\s()]*?)(?:\?[^\s():]*)?:(\d+)(?::(\d+))?/g,
  )) {
    if (samePath(path, file)) return { line: Number(line), column: Number(column ?? 1) };
  }
  return undefined;
}

/** The innermost location in the file in a Python traceback. */
export function locationInTrace(trace: string, file: string): ErrorLocation | undefined {
  const lines = [...trace.matchAll(/^\s*File "(.*)", line (\d+)/gm)].filter(([, path]) => path === file);
  const line = lines.at(-1)?.[2];
  return line === undefined ? undefined : { line: Number(line), column: 1 };
}

/**
 * `shop.functions.ts:3 could not be loaded: …`, or `shop.functions.ts could not be loaded: lib/rates.ts:3: …` for an error in
 * a file that it imports.
 *
 * @param locate returns the location of the error in a file
 * @param files absolute paths of the files that it may import
 */
export function describeLoadFailure(
  file: string,
  message: string,
  locate: (file: string) => ErrorLocation | undefined,
  files: Iterable<string> = [],
): string {
  const place = locate(file);
  const other = [...files].find((one) => one !== file && locate(one) !== undefined);
  const where = other === undefined ? '' : `${relative(dirname(file), other)}:${locate(other)?.line}: `;
  return `${basename(file)}${place === undefined ? '' : `:${place.line}`} could not be loaded: ${where}${message}`;
}

/** The absolute paths of the files in a folder that a Python traceback names, the innermost first. */
export function ownFilesInTrace(trace: string, folder: string): readonly string[] {
  const paths = [...trace.matchAll(/^\s*File "(.*)", line \d+/gm)].map(([, path]) => path ?? '');
  return paths.filter((path) => path.startsWith(folder + sep) && !path.includes('site-packages')).toReversed();
}

function samePath(path: string, file: string): boolean {
  try {
    return (path.startsWith('file:') ? fileURLToPath(path) : path) === file;
  } catch {
    // Not everything that looks like a URL is one.
    return false;
  }
}
