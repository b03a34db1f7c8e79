import type { UserFunctions } from '../../environments/user-functions.ts';
import { findBuiltin } from '../../functions/catalogue.ts';
import type { FunctionDeclaration, Phase } from '../../functions/declaration.ts';
import type { UserSignature } from '../../functions/user/names.ts';
import { type Path, valueAt } from '../../tasks/path.ts';
import type { Position, Range } from '../../tasks/range.ts';
import type { TaskRow } from '../../tasks/rows.ts';
import { textRange, within } from '../text-range.ts';

/** The name of a function in a call of a task. */
export interface FunctionReference {
  readonly name: string;
  readonly phase: Phase;
  /** Of the value that the name stands in. */
  readonly path: Path;
  /** Of the whole call. */
  readonly call: Path;
}

/** What a function's name means in a task file. */
export type ResolvedFunction =
  | { readonly kind: 'user'; readonly signature: UserSignature }
  | { readonly kind: 'builtin'; readonly declaration: FunctionDeclaration }
  | { readonly kind: 'unknown'; readonly name: string };

/** A row stays the same object as long as its text does. */
const known = new WeakMap<TaskRow, readonly FunctionReference[]>();

/** Every function that a task names, in the order of its setup and then its evaluate calls. */
export function functionReferences(row: TaskRow): readonly FunctionReference[] {
  let found = known.get(row);
  if (found === undefined) {
    const { reading } = row;
    found =
      reading === null
        ? []
        : (['setup', 'evaluate'] as const).flatMap((phase) =>
            reading[phase].map((call) => ({ name: call.function, phase, path: call.namePath, call: call.path })),
          );
    known.set(row, found);
  }
  return found;
}

/** Where the name stands, without quotes; undefined where the text has it no longer. */
export function functionReferenceRange(row: TaskRow, reference: FunctionReference): Range | undefined {
  return textRange(row, reference.path, textAt(row.value, reference.path) ?? reference.name, reference.name);
}

/** The reference that a position stands in. */
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

/** A person's own function goes before a built-in one of the same name. */
export function resolveFunction(name: string, own: UserFunctions): ResolvedFunction {
  const signature = own.get(name);
  if (signature !== undefined) return { kind: 'user', signature };
  const declaration = findBuiltin(name);
  return declaration === undefined ? { kind: 'unknown', name } : { kind: 'builtin', declaration };
}

/** Whether two names mean one function: the other spellings of a built-in one do. */
export function sameFunction(a: ResolvedFunction, b: ResolvedFunction): boolean {
  if (a.kind === 'user') {
    return b.kind === 'user' && a.signature.file === b.signature.file && a.signature.name === b.signature.name;
  }
  if (a.kind === 'builtin') return b.kind === 'builtin' && a.declaration === b.declaration;
  return b.kind === 'unknown' && a.name === b.name;
}

function textAt(value: unknown, path: Path): string | undefined {
  const found = valueAt(value, path);
  return typeof found === 'string' ? found : undefined;
}
