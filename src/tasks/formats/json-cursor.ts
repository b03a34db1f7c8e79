import { getLocation, getNodeValue, parseTree } from 'jsonc-parser';
import type { RowCursor } from '../cursor.ts';

/** What stands at an offset of a row of JSON text; the text may be broken anywhere. */
export function jsonCursor(
  text: string,
  row: { readonly start: number; readonly end: number },
  offset: number,
): RowCursor {
  const own = text.slice(row.start, row.end);
  const at = Math.min(Math.max(offset - row.start, 0), own.length);
  const { path, previousNode, isAtPropertyKey } = getLocation(own, at);
  const token =
    previousNode !== undefined && previousNode.offset <= at && at <= previousNode.offset + previousNode.length
      ? previousNode
      : undefined;
  const start = token?.offset ?? at;
  const end = token === undefined ? at : token.offset + token.length;
  const tree = parseTree(own);
  return {
    at: isAtPropertyKey ? 'key' : 'value',
    path: isAtPropertyKey ? path.slice(0, -1) : path,
    start: row.start + start,
    end: row.start + end,
    before: own.slice(start, at).replace(/^"/, ''),
    quoted: own[start] === '"',
    followed: /^\s*[:,]/.test(own.slice(end)),
    task: tree === undefined ? undefined : getNodeValue(tree),
  };
}
