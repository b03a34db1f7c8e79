import { type Context, createContext, Script } from 'node:vm';
import { translatePattern } from '../python/pattern.ts';
import { PatternError } from '../python/pattern-characters.ts';

/**
 * A compiled pattern. `invalid`: Python rejects it too, which is an error. `untranslatable`: Python accepts it, but
 * JavaScript has no equivalent, which is a warning.
 */
export type CompiledPattern =
  | { readonly ok: true; readonly regexp: RegExp; readonly hasNestedRepeats: boolean }
  | { readonly ok: false; readonly problem: 'invalid' | 'untranslatable'; readonly message: string };

/** Flags that a function sets in addition to those in the pattern. `dotAll`: a dot also matches line breaks. */
export interface PatternFlags {
  readonly dotAll?: boolean;
}

/** Compiles a pattern in Python syntax (module `re`, 3.11). Never throws. */
export function compilePattern(source: string, functionFlags: PatternFlags = {}): CompiledPattern {
  try {
    const { pattern, flags, hasNestedRepeats } = translatePattern(source, functionFlags.dotAll);
    return { ok: true, regexp: new RegExp(pattern, flags), hasNestedRepeats };
  } catch (error) {
    if (error instanceof PatternError) {
      const where = error.at === null ? '' : ` at position ${error.at}`;
      return { ok: false, problem: error.problem, message: `the pattern cannot be parsed: ${error.message}${where}` };
    }
    if (!(error instanceof SyntaxError)) throw error;
    return {
      ok: false,
      problem: 'untranslatable',
      message: `the pattern has no equivalent in JavaScript: ${error.message}`,
    };
  }
}

/** Patterns of literal characters and dots: most patterns are, and they are always valid. */
const PLAIN = /^[\w .,:;/&=%@~!'"<>#-]*$/;

/** The problem of a pattern; null if it can be used. */
export function patternProblem(source: string): Exclude<CompiledPattern, { readonly ok: true }> | null {
  if (PLAIN.test(source)) return null;
  const compiled = compilePattern(source);
  return compiled.ok ? null : compiled;
}

/** Whether a valid pattern has repeats in repeats, for which a short text can take longer than any time limit. */
export function hasNestedRepeats(source: string): boolean {
  if (PLAIN.test(source)) return false;
  const compiled = compilePattern(source);
  return compiled.ok && compiled.hasNestedRepeats;
}

/** Flags and an anchor before the characters of a pattern, and an anchor after them. */
const SIMPLE = /^(?:\(\?[ims]+\))?(\\b|\^|\\A)?(.*?)(\\b|(?<!\\)\$|\\Z)?$/s;
/** One character of a pattern, which may be repeated. */
const CHARACTER = /(?:\\([dsw]|[^\p{L}\p{N}])|([^\\^$*+?{}[\]|()]))(?:[*+?]\??)?/uy;
const OF_CLASS: Readonly<Record<string, string>> = { d: '0', s: ' ', w: 'a' };

/** A text that a valid pattern (Python syntax) matches; null if the pattern has groups, sets, or other rare syntax. */
export function literalMatch(source: string): string | null {
  const [, before, characters = '', after] = SIMPLE.exec(source) ?? [];
  let text = '';
  CHARACTER.lastIndex = 0;
  while (CHARACTER.lastIndex < characters.length) {
    const [, escapeCode, literal] = CHARACTER.exec(characters) ?? [];
    const character = literal ?? (escapeCode === undefined ? undefined : (OF_CLASS[escapeCode] ?? escapeCode));
    if (character === undefined) return null;
    text += character;
  }
  if (before === '\\b' && !/^\w/.test(text)) return null;
  return after === '\\b' && !/\w$/.test(text) ? null : text;
}

/** Thrown if a search takes longer than its limit, or needs more of the stack than there is, because of its text. */
export class PatternLimit extends Error {
  override readonly name = 'PatternLimit';
}

/** The time limit of a search in ms. Ordinary patterns need microseconds. */
const SEARCH_LIMIT = 2_000;

/** One script for all texts, because each execution with a time limit starts a watchdog thread. */
const SEARCH = new Script('texts.map((text) => pattern.exec(text)?.[0])');
let sandbox: Context | undefined;

/**
 * Searches each text for the pattern (Python syntax) and returns the matches, undefined for no match. Throws if the
 * pattern is invalid, and `PatternLimit` if the search takes longer than two seconds or is nested too deeply. Blocks the thread, so call it in sessions only.
 */
export function findPattern(
  source: string,
  texts: readonly string[],
  flags: PatternFlags = {},
): (string | undefined)[] {
  const compiled = compilePattern(source, flags);
  if (!compiled.ok) throw new Error(compiled.message);
  try {
    return search(compiled.regexp, texts, SEARCH_LIMIT);
  } catch (error) {
    // Thrown in the other context, so they are not instances of this context's Error.
    const { code, name } = error as NodeJS.ErrnoException;
    const longest = texts.reduce((length, text) => Math.max(length, text.length), 0);
    const text = `a text of ${longest.toLocaleString('en')} characters`;
    if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') {
      throw new PatternLimit(
        `the pattern ran for more than ${SEARCH_LIMIT / 1000} s on ${text}: ` +
          'nested repeats such as (a+)+ can cause catastrophic backtracking',
      );
    }
    if (name === 'RangeError') throw new PatternLimit(`the pattern cannot be searched for in ${text}: it is too long`);
    throw error;
  }
}

function search(pattern: RegExp, texts: readonly string[], timeout: number): (string | undefined)[] {
  sandbox ??= createContext();
  Object.assign(sandbox, { pattern, texts });
  return SEARCH.runInContext(sandbox, { timeout }) as (string | undefined)[];
}

/** The time limit in ms of a search that only explains a failure. */
const EXPLANATION_LIMIT = 100;

/** As `findPattern`, for a reason that can do without the result: no matches of a pattern that is invalid, slow, or too deep. */
export function findForReason(
  source: string,
  texts: readonly string[],
  flags?: PatternFlags,
): readonly (string | undefined)[] {
  const compiled = compilePattern(source, flags);
  if (!compiled.ok) return [];
  try {
    return search(compiled.regexp, texts, EXPLANATION_LIMIT);
  } catch {
    // The value is known, and the error is not about the author's own pattern.
    return [];
  }
}

/** Whether the text has characters with a meaning in patterns. */
export function hasPatternSyntax(text: string): boolean {
  return /[\\^$*+?()[\]{}|]/.test(text);
}

/** Whether a value equals the text or, if the text has pattern syntax, matches it as a pattern. */
export function matchesValue(expected: string, value: string): boolean {
  if (expected === value) return true;
  return hasPatternSyntax(expected) && findPattern(expected, [value])[0] !== undefined;
}
