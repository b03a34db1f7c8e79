import type { Json } from '../../../base/json.ts';
import { isEqualJson } from '../../apply-change.ts';
import { lineEndOf, nextLine } from '../layout.ts';
import type { OffsetEdit } from '../source.ts';
import { printBlock, yamlStyleOf } from './print.ts';
import { YamlText } from './text.ts';
import { YamlValues } from './value.ts';

/** An item of a block list, with its lines. */
interface Item {
  /** Offset of the line that it begins in. */
  readonly from: number;
  readonly text: string;
  /** Offset after its text. */
  readonly end: number;
}

/** Edits that insert an item into a block list, in the style of its neighbors. */
export function insertItem(
  items: readonly Item[],
  indent: number,
  index: number,
  value: Json,
): readonly OffsetEdit[] | null {
  const next = items[index];
  const near = next ?? items.at(-1);
  if (near === undefined || index < 0 || index > items.length) return null;
  const style = yamlStyleOf(near.text);
  const gap = /^ *-( +)[^\s#]/.exec(near.text)?.[1]?.length ?? 1;
  const lead = `${' '.repeat(indent)}-${' '.repeat(gap)}`;
  const text = lead + printBlock(value, style, lead.length);
  if (!isItem(text, value)) return null;
  const { lineEnd } = style;
  const before = items[index - 1];
  const isSpaced = before !== undefined && items.length > 1 && /^[ \t]*\r?\n/.test(textAfter(items[0] as Item));
  const blank = isSpaced ? lineEnd : '';
  if (next !== undefined) {
    const at = next.from - (before === undefined ? 0 : leadingComments(before, indent));
    return [{ start: at, end: at, text: text + lineEnd + blank }];
  }
  const at = lineAfter(near);
  const isLine = near.text[at - near.from - 1] === '\n';
  return [{ start: at, end: at, text: isLine ? blank + text + lineEnd : lineEnd + blank + text }];
}

/** Edits that remove an item with its lines; comments after it stay. */
export function removeItem(items: readonly Item[], indent: number, index: number): readonly OffsetEdit[] | null {
  const own = items[index];
  if (own === undefined) return null;
  const end = lineAfter(own);
  const isLine = own.text[end - own.from - 1] === '\n';
  if (items.length === 1) {
    // One column further in, so that it does not end a list under a key.
    const text = `${' '.repeat(Math.max(indent, 2))}[]${isLine ? lineEndOf(own.text) : ''}`;
    return [{ start: own.from, end, text }];
  }
  const space = /^(?:[ \t]*\r?\n)*/.exec(textAfter(own))?.[0].length ?? 0;
  return [{ start: own.from, end: end + space, text: '' }];
}

/** Offset of the line after the text of an item. */
function lineAfter({ from, text, end }: Item): number {
  return text[end - from - 1] === '\n' ? end : from + nextLine(text, end - from);
}

function textAfter(item: Item): string {
  return item.text.slice(lineAfter(item) - item.from);
}

/** Length of the comments directly before the next item, at its column. */
function leadingComments(before: Item, indent: number): number {
  const rest = textAfter(before);
  return new RegExp(`(?:^|(?<=\\n))(?: {${indent}}#[^\\n]*\\n)+$`).exec(rest)?.[0].length ?? 0;
}

/** Whether a text is a list with this value as its only item. */
function isItem(text: string, value: Json): boolean {
  const item = YamlText.of(text);
  return item.syntax.length === 0 && isEqualJson(new YamlValues(item).read(item.root, 0).value, [value]);
}
