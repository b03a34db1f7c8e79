import { getOrCreate } from '../../base/get-or-create.ts';
import { type Path, valueAt } from '../../base/path.ts';
import type { Position, Range } from '../../base/range.ts';
import type { UserFunctions } from '../../environments/user-functions.ts';
import { findBuiltin } from '../../functions/catalogue.ts';
import type { FunctionDeclaration, Phase } from '../../functions/declaration.ts';
import type { UserSignature } from '../../functions/user/names.ts';
import type { TaskRow } from '../../tasks/rows.ts';
import { textRange, within } from '../text-range.ts';

/** The name of a function in a call. */
export interface FunctionReference {
  readonly name: string;
  readonly phase: Phase;
  /** Path of the value that contains the name. */
  readonly path: Path;
  /** Path of the whole call. */
  readonly call: Path;
}

/** What the name of a function refers to. */
export type ResolvedFunction =
  | { readonly kind: 'user'; readonly signature: UserSignature }
  | { readonly kind: 'builtin'; readonly declaration: FunctionDeclaration }
  | { readonly kind: 'unknown'; readonly name: string };

/** A row stays the same object as long as its text does not change. */
const cache = new WeakMap<TaskRow, readonly FunctionReference[]>();

/** Every function that a task calls: setup calls in order, then evaluate calls. */
export function functionReferences(row: TaskRow): readonly FunctionReference[] {
  return getOrCreate(cache, row, () =>
    (['setup', 'evaluate'] as const).flatMap((phase) =>
      (row.reading?.[phase] ?? []).map((call) => ({
        name: call.function,
        phase,
        path: call.namePath,
        call: call.path,
      })),
    ),
  );
}

/** Range of the name without quotes; undefined if the text no longer contains it. */
export function functionReferenceRange(row: TaskRow, reference: FunctionReference): Range | undefined {
  const text = valueAt(row.value, reference.path);
  return textRange(row, reference.path, typeof text === 'string' ? text : reference.name, reference.name);
}

/** The reference at a position. */
export function functionReferenceAt(
  row: TaskRow,
  position: Position,
): { reference: FunctionReference; range: Range } | undefined {
  for (const reference of functionReferences(row)) {
    const range = functionReferenceRange(row, reference);
    if (range !== undefined && within(range, position)) return { reference, range };
  }
  return undefined;
}

/** A user-defined function takes precedence over a built-in one of the same name. */
export function resolveFunction(name: string, own: UserFunctions): ResolvedFunction {
  const signature = own.get(name);
  if (signature !== undefined) return { kind: 'user', signature };
  const declaration = findBuiltin(name);
  return declaration === undefined ? { kind: 'unknown', name } : { kind: 'builtin', declaration };
}

/** Whether two names refer to the same function. A built-in function can have several names. */
export function sameFunction(a: ResolvedFunction, b: ResolvedFunction): boolean {
  if (a.kind === 'user') {
    return b.kind === 'user' && a.signature.file === b.signature.file && a.signature.name === b.signature.name;
  }
  if (a.kind === 'builtin') return b.kind === 'builtin' && a.declaration === b.declaration;
  return b.kind === 'unknown' && a.name === b.name;
}
