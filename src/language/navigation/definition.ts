import type { Position, Range } from '../../base/range.ts';
import type { UserFunctions } from '../../environments/user-functions.ts';
import type { FunctionDeclaration } from '../../functions/declaration.ts';
import type { UserSignature } from '../../functions/user/names.ts';
import type { TaskFile } from '../../tasks/rows.ts';
import { userFunctionsOf } from '../controller.ts';
import { functionReferenceAt, resolveFunction } from './function-references.ts';
import { fileNameAt } from './links.ts';
import { customTaskNamedAt } from './registered-ids.ts';

/** The target of a reference in a task. */
export type Target = { readonly from: Range } & (
  | { readonly kind: 'user'; readonly signature: Pick<UserSignature, 'file' | 'range'> }
  | { readonly kind: 'builtin'; readonly declaration: FunctionDeclaration }
  /** `name` is relative to the folder of the task file. */
  | { readonly kind: 'file'; readonly name: string }
);

/** The target of the word at a position: the source or description of a function, or a file. */
export function targetAt(file: TaskFile, own: UserFunctions, position: Position): Target | undefined {
  const row = file.rowAt(position);
  if (row === undefined) return undefined;
  const at = functionReferenceAt(row, position);
  if (at !== undefined) {
    const meaning = resolveFunction(at.reference.name, userFunctionsOf(row.value, own));
    return meaning.kind === 'unknown' ? undefined : { from: at.range, ...meaning };
  }
  const custom = customTaskNamedAt(row, own, position);
  if (custom !== undefined) return { from: custom.range, kind: 'user', signature: custom.task };
  const fileName = fileNameAt(row, position);
  return fileName === undefined ? undefined : { from: fileName.range, kind: 'file', name: fileName.name };
}

/** The zero-based line of docs/functions.md that describes a built-in function; 0 if there is none. */
export function documentedAt(documentation: string, { name }: FunctionDeclaration): number {
  const lines = documentation.split('\n');
  const row = lines.findIndex((line) => line.startsWith(`| \`${name}(`));
  return Math.max(0, row === -1 ? lines.findIndex((line) => line.includes(`\`${name}\``)) : row);
}
