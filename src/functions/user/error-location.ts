import { basename } from 'node:path';
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

/** `shop.functions.ts:3 could not be loaded: …` */
export function describeLoadFailure(file: string, place: ErrorLocation | undefined, message: string): string {
  return `${basename(file)}${place === undefined ? '' : `:${place.line}`} could not be loaded: ${message}`;
}

function samePath(path: string, file: string): boolean {
  try {
    return (path.startsWith('file:') ? fileURLToPath(path) : path) === file;
  } catch {
    // Not everything that looks like a URL is one.
    return false;
  }
}
