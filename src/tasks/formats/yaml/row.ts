import { isSeq, type Node } from 'yaml';
import type { Part, Path } from '../../../base/path.ts';
import { type Span, shift } from '../../../base/range.ts';
import type { Change } from '../../change.ts';
import type { RowCursor } from '../../cursor.ts';
import { type OffsetEdit, type RowContent, type RowSource, type TextProblem, textError } from '../source.ts';
import { yamlCursor } from './cursor.ts';
import { editYaml } from './edit.ts';
import { spanOf } from './nodes.ts';
import { YamlText } from './text.ts';
import { YamlValues } from './value.ts';

/** A row of a text that is parsed in one piece. */
export class YamlRow implements RowSource {
  readonly base = 0;
  readonly start: number;
  readonly end: number;
  readonly reach: Span;
  readonly #text: YamlText;
  readonly #values: YamlValues;
  readonly #node: Node | null;
  readonly #path: Path;
  readonly #syntax: readonly TextProblem[];
  #content: RowContent | undefined;

  /** @param reach the text of this row, including space for new values */
  constructor(text: YamlText, values: YamlValues, path: Path, syntax: readonly TextProblem[], reach: Span) {
    this.#text = text;
    this.#values = values;
    this.#path = path;
    this.#syntax = syntax;
    this.#node = text.find(path, 'value') ?? null;
    const span = this.#node === null ? reach : spanOf(this.#node);
    this.start = span.start;
    this.end = span.end;
    this.reach = { start: Math.min(reach.start, this.start), end: Math.max(reach.end, this.end) };
  }

  read(): RowContent {
    this.#content ??= contentOf(this.#values, this.#node, this.#syntax);
    return this.#content;
  }

  locate(path: Path, part: Part): Span | undefined {
    return this.#text.locate([...this.#path, ...path], part);
  }

  edit(changes: readonly Change[]): readonly OffsetEdit[] | null {
    return editYaml(this.#text.text, this.#path, changes);
  }

  cursor(offset: number): RowCursor {
    return { ...yamlCursor(this.#text.text, this.#path, offset), task: this.read().value };
  }
}

/** Cached for the item that was used last, because it takes ten times the memory of its text. */
interface ParsedItem {
  readonly item: YamlItem;
  readonly text: YamlText;
  /** Undefined if the text is not a single item. */
  readonly node: Node | null | undefined;
  content?: RowContent;
}

/** An item of a block list, parsed on demand. */
export class YamlItem implements RowSource {
  /** Offset of the line that it begins in; moves when the text before it changes. */
  from: number;
  /** Its lines, up to the next item. */
  readonly text: string;
  #span: Span | undefined;
  static #last: ParsedItem | undefined;

  constructor(text: string, from: number) {
    this.text = text;
    this.from = from;
  }

  get base(): number {
    return this.from;
  }

  get start(): number {
    return this.from + this.#place().start;
  }

  get end(): number {
    return this.from + this.#place().end;
  }

  get reach(): Span {
    return { start: this.from, end: this.from + this.text.length - (this.text.endsWith('\n') ? 1 : 0) };
  }

  read(): RowContent {
    const item = this.#parse();
    item.content ??= this.#content(item);
    return item.content;
  }

  locate(path: Path, part: Part): Span | undefined {
    return this.#parse().text.locate([0, ...path], part);
  }

  edit(changes: readonly Change[]): readonly OffsetEdit[] | null {
    return editYaml(this.text, [0], changes)?.map((edit) => shift(edit, this.from)) ?? null;
  }

  cursor(offset: number): RowCursor {
    return { ...yamlCursor(this.text, [0], offset), task: this.read().value };
  }

  #content({ text, node }: ParsedItem): RowContent {
    if (node !== undefined) return contentOf(new YamlValues(text), node, text.syntax);
    const span = this.#place();
    const problems = text.syntax.map((problem) => (problem.end === 0 ? { ...problem, ...span } : problem));
    if (problems.length === 0) {
      problems.push(textError(span, 'syntax', 'This is not a single task. Check its indentation'));
    }
    return { value: undefined, readable: false, problems };
  }

  #place(): Span {
    if (this.#span === undefined) {
      const { node } = this.#parse();
      this.#span = node === null || node === undefined ? this.#textSpan() : spanOf(node);
    }
    return this.#span;
  }

  /** The text after the dash, without surrounding white space. */
  #textSpan(): Span {
    const lead = /^ *-\s*/.exec(this.text)?.[0].length ?? 0;
    const end = this.text.trimEnd().length;
    return { start: Math.min(lead, end), end };
  }

  #parse(): ParsedItem {
    if (YamlItem.#last?.item === this) return YamlItem.#last;
    const text = YamlText.of(this.text);
    const { root } = text;
    const isOne = isSeq(root) && root.items.length === 1;
    YamlItem.#last = { item: this, text, node: isOne ? (text.find([0], 'value') ?? null) : undefined };
    return YamlItem.#last;
  }
}

function contentOf(values: YamlValues, node: Node | null, syntax: readonly TextProblem[]): RowContent {
  const { value, problems } = values.read(node, 1);
  const readable = syntax.every(({ severity, code }) => severity !== 'error' || code === 'unknown-tag');
  return { value, readable, problems: [...syntax, ...problems] };
}
