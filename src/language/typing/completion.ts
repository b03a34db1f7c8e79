import type { Position } from '../../base/range.ts';
import type { Cursor, TaskFile } from '../../tasks/rows.ts';
import { argumentValues } from './completion/arguments.ts';
import type { CompletionContext } from './completion/context.ts';
import { functions } from './completion/functions.ts';
import { type CompletionItem, type CompletionProposal, itemsOf } from './completion/item.ts';
import { members } from './completion/members.ts';
import { values } from './completion/values.ts';
import { valueContext } from './value-context.ts';

export type { CompletionContext, Used } from './completion/context.ts';
export type { CompletionItem, CompletionKind } from './completion/item.ts';

/**
 * Returns the completions at a position of a task file. Inspects a single row, whatever the size of the file; nothing
 * is executed.
 */
export async function completions(
  file: TaskFile,
  position: Position,
  context: CompletionContext,
): Promise<CompletionItem[]> {
  const cursor = file.cursor(position);
  if (cursor === undefined || cursor.at === 'between') return [];
  const { start, end } = cursor.range;
  // An editor replaces text on a single line only.
  if (start.line !== end.line) return [];
  return itemsOf(await proposalsAt(cursor, context), file, cursor);
}

async function proposalsAt(cursor: Cursor, context: CompletionContext): Promise<readonly CompletionProposal[]> {
  if (cursor.at === 'key') return members(cursor, context.own);
  const place = valueContext(cursor.path, cursor.task);
  switch (place.kind) {
    case 'function':
      return functions(place, cursor, context);
    case 'argument':
      return argumentValues(place, cursor, context);
    default:
      return values(cursor, context);
  }
}
