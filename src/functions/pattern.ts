import { type Context, createContext, Script } from 'node:vm';
import { translatePattern } from './python-pattern.ts';
import { PatternError } from './python-pattern-characters.ts';

/**
 * What a pattern comes to. `invalid`: no Python reads it either, an error. `untranslatable`: Python reads it,
 * JavaScript cannot say it, a warning.
 */
export type CompiledPattern =
  | { readonly ok: true; readonly regexp: RegExp }
  | { readonly ok: false; readonly problem: 'invalid' | 'untranslatable'; readonly message: string };

/** Flags of Python's that a function sets beside those in the pattern: `dotAll`, a point means line breaks too. */
export interface PatternFlags {
  readonly dotAll?: boolean;
}

/** Reads a pattern in Python's notation (module `re`, 3.11). Never throws. */
export function compilePattern(source: string, given: PatternFlags = {}): CompiledPattern {
  try {
    const { pattern, flags } = translatePattern(source, given.dotAll);
    return { ok: true, regexp: new RegExp(pattern, flags) };
  } catch (error) {
    if (error instanceof PatternError) {
      const where = error.at === null ? '' : ` at position ${error.at}`;
      return { ok: false, problem: error.problem, message: `the pattern cannot be read: ${error.message}${where}` };
    }
    if (!(error instanceof SyntaxError)) throw error;
    return { ok: false, problem: 'untranslatable', message: `the pattern has no counterpart here: ${error.message}` };
  }
}

/** Texts in which every character means itself, or any one: they are most of the patterns, and nothing is wrong with them. */
const PLAIN = /^[\w .,:;/&=%@~!'"<>#-]*$/;

/** What is wrong with a pattern; null where it can be used. */
export function patternProblem(source: string): Exclude<CompiledPattern, { readonly ok: true }> | null {
  if (PLAIN.test(source)) return null;
  const compiled = compilePattern(source);
  return compiled.ok ? null : compiled;
}

/** Milliseconds that one search may take. Ordinary patterns need microseconds. */
const SEARCH_LIMIT = 2_000;

/** One run for all texts: each run with a limit costs a thread that watches it. */
const SEARCH = new Script('texts.map((text) => pattern.exec(text)?.[0])');
let sandbox: Context | undefined;

/**
 * Searches the pattern (Python's notation) in each text: what it finds, or undefined. Throws with words where the pattern
 * cannot be read or the search takes longer than two seconds. It holds up the thread meanwhile: call it in a session only.
 */
export function findPattern(
  source: string,
  texts: readonly string[],
  flags: PatternFlags = {},
): (string | undefined)[] {
  const compiled = compilePattern(source, flags);
  if (!compiled.ok) throw new Error(compiled.message);
  sandbox ??= createContext();
  Object.assign(sandbox, { pattern: compiled.regexp, texts });
  try {
    return SEARCH.runInContext(sandbox, { timeout: SEARCH_LIMIT }) as (string | undefined)[];
  } catch (error) {
    // Thrown in the other context, so it is no Error of this one.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    const longest = Math.max(...texts.map((text) => text.length));
    throw new Error(
      `the pattern ran for more than ${SEARCH_LIMIT / 1000} s on a text of ${longest} characters: ` +
        'it tries endlessly many ways to match; a repeat inside of a repeat, such as (a+)+, does that',
    );
  }
}

/** Whether a value is the text itself or, where that holds signs of a pattern, the pattern is found in it. */
export function matchesValue(wanted: string, value: string): boolean {
  if (wanted === value) return true;
  return /[\\^$*+?()[\]{}|]/.test(wanted) && findPattern(wanted, [value])[0] !== undefined;
}
