import {
  type CST,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import type { Json } from '../../../base/json.ts';
import type { Path } from '../../../base/path.ts';
import type { Span } from '../../../base/range.ts';
import type { Draft } from '../../draft.ts';
import { type Outcome, TreeEditor } from '../editor.ts';
import { endOfLine, nextLine } from '../layout.ts';
import { isMerge, keyOf, nodeOrNull, spanOf } from './nodes.ts';
import { isInline, printBlock, printInline, printMember, type YamlStyle } from './print.ts';
import type { YamlText } from './text.ts';
import { flowValue, scalarText } from './writer.ts';

type Holder = YAMLMap | YAMLSeq;

/** Where a value is, or would be. */
interface Slot {
  /** Null at the top of the text. */
  readonly holder: Holder | null;
  /** In flow style, so the value must be, too. */
  readonly inFlow: boolean;
  readonly node: Node | null;
  /** After the colon of its key, or the dash of its item. */
  readonly after: number;
  /** Minimum indentation of the lines of a value under a key. */
  readonly column: number;
}

/** Applies a change to a YAML text in the common forms. Callers parse the new text and compare its value. */
export class YamlEditor extends TreeEditor<Slot> {
  readonly #draft: Draft;
  readonly #text: string;
  protected readonly root: Slot;
  readonly #style: YamlStyle;

  constructor(draft: Draft, text: YamlText, style: YamlStyle) {
    super();
    this.#draft = draft;
    this.#text = draft.text;
    this.root = { holder: null, inFlow: false, node: text.root, after: 0, column: 0 };
    this.#style = style;
  }

  /** Inserts an item before another one of a list. */
  insert(list: Path, index: number, value: Json): boolean {
    const slot = this.find([...list, index]);
    const seq = slot?.holder;
    if (slot === undefined || !isSeq(seq)) return false;
    if (seq.flow === true) {
      const item: unknown = seq.items[index];
      if (!isNode(item)) return false;
      const { start } = spanOf(item);
      this.#draft.replace(start, start, `${this.#flow(value)}, `);
      return true;
    }
    const dash = slot.after - 1;
    if (!this.#isFirst(dash)) return false;
    const column = this.#column(dash);
    const text = `- ${printBlock(value, this.#style, column + 2)}${this.#style.lineEnd}${' '.repeat(column)}`;
    this.#draft.replace(dash, dash, text);
    return true;
  }

  /** Leads through no alias. */
  protected child(slot: Slot, step: string | number): Slot | undefined {
    const holder = slot.node;
    if (!isCollection(holder)) return undefined;
    const inFlow = slot.inFlow || holder.flow === true;
    if (isSeq(holder)) {
      const item: unknown = typeof step === 'number' ? holder.items[step] : undefined;
      if (!isNode(item)) return undefined;
      const dash = dashesOf(holder)[step as number];
      const after = dash === undefined ? spanOf(item).start : dash.offset + 1;
      const column = dash === undefined ? 0 : this.#column(dash.offset) + 2;
      return { holder, inFlow, node: item, after, column };
    }
    const pair = membersNamed(holder, String(step)).at(-1);
    if (pair === undefined) return undefined;
    const key = keySpan(pair);
    const column = this.#column(key.start) + this.#style.unit;
    return { holder, inFlow, node: valueAt(pair), after: colonOf(pair) ?? key.end, column };
  }

  protected replace(slot: Slot, value: Json): Outcome {
    const { node } = slot;
    const own = node === null ? { start: slot.after, end: slot.after } : this.#span(node);
    const isWritten = own.end > own.start;
    const wasFlow = isCollection(node) && node.flow === true && node.items.length > 0;
    const wasBlock = isCollection(node) && node.flow !== true;
    const isList = slot.holder === null || isSeq(slot.holder);
    if (slot.inFlow || wasFlow) {
      this.#put(slot, own, this.#flow(value, node));
      return 'done';
    }
    const wide = wasBlock && Array.isArray(value);
    const isBroken = !isInline(value, this.#style) || (wide && isCollection(node) && (value as Json[]).length > 0);
    if (isList && (isBroken || !wasBlock)) {
      const column = isWritten ? this.#column(own.start) : slot.column;
      this.#put(slot, own, isBroken ? printBlock(value, this.#style, column, wide) : this.#inline(value, slot, node));
      return 'done';
    }
    const onOwnLine = isWritten && this.#text.slice(slot.after, own.start).includes('\n');
    if (isBroken && wasBlock && onOwnLine) {
      this.#draft.replace(own.start, own.end, printBlock(value, this.#style, this.#column(own.start), wide));
      return 'done';
    }
    if (isBroken) {
      const inner = slot.column + (Array.isArray(value) ? this.#style.dash - this.#style.unit : 0);
      const line = endOfLine(this.#text, own.end);
      const text = this.#style.lineEnd + ' '.repeat(inner) + printBlock(value, this.#style, inner, wide);
      this.#draft.replace(line, line, text);
      if (isWritten) this.#draft.replace(slot.after, own.end, '');
      return 'done';
    }
    const text = this.#inline(value, slot, node);
    if (!onOwnLine) this.#put(slot, own, text);
    else {
      this.#draft.replace(this.#endOfLineBefore(own.start), own.end, '');
      this.#draft.replace(slot.after, slot.after, ` ${text}`);
    }
    return 'done';
  }

  /** Replaces the current value, or inserts one after the colon or the dash. */
  #put(slot: Slot, own: Span, text: string): void {
    if (own.end > own.start || slot.holder === null) this.#draft.replace(own.start, own.end, text);
    else {
      const pair = isMap(slot.holder) ? slot.holder.items.find((one) => valueAt(one) === slot.node) : undefined;
      const colon = pair !== undefined && colonOf(pair) === undefined ? ':' : '';
      this.#draft.replace(slot.after, slot.after, `${colon} ${text}`);
    }
  }

  protected append(slot: Slot, step: string | number, value: Json): Outcome {
    const holder = slot.node;
    if (!isCollection(holder) || (isSeq(holder) && typeof step !== 'number')) return 'impossible';
    const whole: Json = isSeq(holder) ? [value] : { [step]: value };
    if (holder.items.length === 0) return this.replace(slot, whole);
    const last: unknown = holder.items.at(-1);
    const end = this.#endOf(holder, last);
    if (holder.flow === true || slot.inFlow) {
      const text = isSeq(holder) ? this.#flow(value) : this.#flow(whole).replace(/^\{ ?| ?\}$/g, '');
      this.#draft.replace(end, end, `, ${text}`);
      return 'done';
    }
    const first = isSeq(holder) ? dashesOf(holder)[0]?.offset : keySpan(holder.items[0] as Pair).start;
    if (first === undefined) return 'impossible';
    const column = this.#column(first);
    const text = isSeq(holder)
      ? `- ${printBlock(value, this.#style, column + 2)}`
      : printMember(String(step), value, this.#style, column);
    const lineEnd = this.#style.lineEnd;
    const indent = ' '.repeat(column);
    const full = spanOf(holder).end;
    // A block scalar ends with its last line end.
    if (this.#text[full - 1] === '\n') this.#draft.replace(full, full, indent + text + lineEnd);
    else {
      const at = endOfLine(this.#text, end);
      this.#draft.replace(at, at, lineEnd + indent + text);
    }
    return 'done';
  }

  protected rename(slot: Slot, name: string, key: string): Outcome {
    const holder = slot.node;
    if (!isMap(holder)) return 'impossible';
    const members = membersNamed(holder, name);
    const pair = members.at(-1);
    if (pair === undefined) return 'impossible';
    const [other] = [...members.slice(0, -1), ...(key === name ? [] : membersNamed(holder, key))];
    if (other !== undefined) return this.#cut(slot, holder, holder.items.indexOf(other)) ? 'partly' : 'impossible';
    const { start, end } = keySpan(pair);
    this.#draft.replace(start, end, this.#quotedLike(key, nodeOrNull(pair.key)));
    return 'done';
  }

  protected remove(slot: Slot, step: string | number): Outcome {
    const holder = slot.node;
    if (!isCollection(holder)) return 'impossible';
    if (isSeq(holder)) return typeof step === 'number' && this.#cut(slot, holder, step) ? 'done' : 'impossible';
    const [first, ...more] = membersNamed(holder, String(step));
    if (first === undefined || !this.#cut(slot, holder, holder.items.indexOf(first))) return 'impossible';
    return more.length > 0 ? 'partly' : 'done';
  }

  #cut(slot: Slot, holder: Holder, index: number): boolean {
    const own = this.#place(holder, index);
    if (own === null) return false;
    if (holder.items.length === 1) return this.replace(slot, isSeq(holder) ? [] : {}) === 'done';
    const next = this.#place(holder, index + 1);
    if (holder.flow === true) {
      const before = this.#place(holder, index - 1);
      if (next !== null) this.#draft.replace(own.start, next.start, '');
      else if (before !== null) this.#draft.replace(before.end, own.end, '');
      return true;
    }
    const item: unknown = holder.items[index];
    const node = isNode(item) ? item : valueAt(item as Pair);
    const full = node === null ? 0 : spanOf(node).end;
    const lineEnd = full > own.end && this.#text[full - 1] === '\n' ? full : nextLine(this.#text, own.end);
    if (this.#isFirst(own.start)) {
      const start = this.#text.lastIndexOf('\n', own.start - 1) + 1;
      if (lineEnd === this.#text.length && !this.#text.endsWith('\n')) {
        this.#draft.replace(this.#endOfLineBefore(start), lineEnd, '');
      } else this.#draft.replace(start, lineEnd, '');
      return true;
    }
    if (next === null) return false;
    // The next item takes its place on the line of the dash, unless a comment is in between.
    const comment = this.#text.slice(own.end, next.start).includes('#');
    this.#draft.replace(own.start, comment ? own.end : next.start, '');
    return true;
  }

  /** Span of a member with its key, or of an item with its dash. */
  #place(holder: Holder, index: number): Span | null {
    const item: unknown = holder.items[index];
    if (item === undefined) return null;
    const end = this.#endOf(holder, item);
    if (isMap(holder)) return { start: keySpan(item as Pair).start, end };
    const start = holder.flow === true ? (isNode(item) ? spanOf(item).start : end) : dashesOf(holder)[index]?.offset;
    return start === undefined ? null : { start, end };
  }

  /** The end of a member or an item. */
  #endOf(holder: Holder, item: unknown): number {
    if (isMap(holder)) {
      const pair = item as Pair;
      const value = valueAt(pair);
      const end = colonOf(pair) ?? keySpan(pair).end;
      return value === null ? end : Math.max(end, this.#span(value).end);
    }
    if (!isNode(item)) return spanOf(holder).end;
    const dash = holder.flow === true ? undefined : dashesOf(holder)[holder.items.indexOf(item)];
    return Math.max(this.#span(item).end, dash === undefined ? 0 : dash.offset + 1);
  }

  /** Without the line end of a block scalar. */
  #span(node: Node): Span {
    const { start, end } = spanOf(node);
    let last = end;
    while (last > start && /[\r\n]/.test(this.#text[last - 1] ?? '')) last -= 1;
    return { start, end: last };
  }

  #flow(value: Json, like: Node | null = null): string {
    return typeof value === 'string' ? this.#quotedLike(value, like) : flowValue(value, this.#style);
  }

  #inline(value: Json, slot: Slot, like: Node | null): string {
    if (typeof value !== 'string') return printInline(value, this.#style, slot.column);
    return value.includes('\n') && (!isScalar(like) || (like.type !== 'QUOTE_DOUBLE' && like.type !== 'QUOTE_SINGLE'))
      ? printInline(value, this.#style, slot.column)
      : this.#quotedLike(value, like);
  }

  /** Uses the quotes of the previous value. */
  #quotedLike(value: string, like: Node | null): string {
    if (!isScalar(like) || typeof like.value !== 'string') return scalarText(value, this.#style);
    if (like.type === 'QUOTE_DOUBLE') return scalarText(value, { quote: '"', plain: false });
    if (like.type === 'QUOTE_SINGLE') return scalarText(value, { quote: "'", plain: false });
    return scalarText(value, { ...this.#style, plain: true });
  }

  #column(offset: number): number {
    return offset - this.#text.lastIndexOf('\n', offset - 1) - 1;
  }

  #isFirst(offset: number): boolean {
    return this.#text.slice(this.#text.lastIndexOf('\n', offset - 1) + 1, offset).trim() === '';
  }

  /** Offset before the line end of the line before the one that contains the offset. */
  #endOfLineBefore(offset: number): number {
    const newline = this.#text.lastIndexOf('\n', offset - 1);
    if (newline <= 0) return Math.max(0, newline);
    return this.#text[newline - 1] === '\r' ? newline - 1 : newline;
  }
}

function isCollection(node: Node | null | undefined): node is Holder {
  return isMap(node) || isSeq(node);
}

function membersNamed(map: YAMLMap, name: string): Pair[] {
  return map.items.filter((pair) => !isMerge(pair) && keyOf(pair) === name && !isAlias(pair.key));
}

function valueAt(pair: Pair): Node | null {
  return nodeOrNull(pair.value);
}

function keySpan(pair: Pair): Span {
  return isNode(pair.key) ? spanOf(pair.key) : { start: 0, end: 0 };
}

/** The offset after a member's colon; undefined if it has none. */
function colonOf(pair: Pair): number | undefined {
  const colon = pair.srcToken?.sep?.find(({ type }) => type === 'map-value-ind');
  return colon === undefined ? undefined : colon.offset + 1;
}

/** The dashes of a block list, one for each item. */
function dashesOf(seq: YAMLSeq): readonly CST.SourceToken[] {
  const token = seq.srcToken;
  if (token?.type !== 'block-seq') return [];
  return token.items.flatMap(({ start }) => start.find(({ type }) => type === 'seq-item-ind') ?? []);
}
