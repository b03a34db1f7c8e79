import { compilePattern } from './pattern.ts';

/** The first text in which the pattern is found gives what it found; see `pattern.ts` for its notation. */
export async function findPattern(pattern: string, texts: readonly string[]): Promise<(string | undefined)[]> {
  const compiled = compilePattern(pattern);
  if (!compiled.ok) throw new Error(compiled.message);
  return texts.map((text) => compiled.regexp.exec(text)?.[0]);
}

/** Whether a value is the text itself or, where that holds signs of a pattern, the pattern is found in it. */
export async function matchesWhole(wanted: string, value: string): Promise<boolean> {
  if (wanted === value) return true;
  if (!/[\\^$*+?()[\]{}|]/.test(wanted)) return false;
  return (await findPattern(wanted, [value]))[0] !== undefined;
}
