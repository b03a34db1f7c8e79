import { fileURLToPath } from 'node:url';

/** One-based line and column in a file, as stack traces name them. */
export interface ErrorPlace {
  readonly line: number;
  readonly column: number;
}

/** The first place in the file that an error's stack (or a syntax error's head line) names. */
export function placeOfError(error: unknown, file: string): ErrorPlace | undefined {
  if (!(error instanceof Error) || !error.stack) return undefined;
  for (const [, path = '', line, column] of error.stack.matchAll(
    /((?:file:\/\/|\/|[A-Za-z]:\\)[^\s()]*?)(?:\?[^\s():]*)?:(\d+)(?::(\d+))?/g,
  )) {
    if (samePath(path, file)) return { line: Number(line), column: Number(column ?? 1) };
  }
  return undefined;
}

/** The innermost place in the file that a traceback of Python names. */
export function placeOfTrace(trace: string, file: string): ErrorPlace | undefined {
  const lines = [...trace.matchAll(/^\s*File "(.*)", line (\d+)/gm)].filter(([, path]) => path === file);
  const line = lines.at(-1)?.[2];
  return line === undefined ? undefined : { line: Number(line), column: 1 };
}

function samePath(path: string, file: string): boolean {
  try {
    return (path.startsWith('file:') ? fileURLToPath(path) : path) === file;
  } catch {
    // Not every text that looks like an address is one.
    return false;
  }
}
