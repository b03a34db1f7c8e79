import type { UserSignature } from '../../../src/functions/user/names.ts';

/** Own functions of which nothing but the name is known. */
export function userFunctionsNamed(...names: readonly string[]): ReadonlyMap<string, UserSignature> {
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
  return new Map(
    names.map((name) => [name, { name, file: '/own.functions.ts', range, phase: null, doc: null, parameters: null }]),
  );
}
