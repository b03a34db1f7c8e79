import { defined } from '../../../base/defined.ts';
import type { Json } from '../../../base/json.ts';
import type { Range } from '../../../base/range.ts';
import type { TextEdit } from '../../../tasks/change.ts';
import type { Cursor, TaskFile } from '../../../tasks/rows.ts';
import { asSnippet, asText, hasPlaceholders } from '../../../tasks/snippet.ts';

export type CompletionKind =
  | 'key'
  | 'task'
  | 'environment'
  | 'function'
  | 'user-function'
  | 'value'
  | 'enum'
  | 'file'
  | 'selector'
  | 'tag';

/** A completion as an editor shows it. */
export interface CompletionItem {
  readonly label: string;
  readonly kind: CompletionKind;
  /** Shown next to the label: `(selector, pattern)`. */
  readonly signature?: string | undefined;
  /** Shown at the end of the line: where it comes from. */
  readonly detail?: string | undefined;
  /** Markdown. */
  readonly doc?: string | undefined;
  /** The range to replace: on one line, around the position. */
  readonly range: Range;
  readonly text: string;
  /** The text is a snippet: `${1:name}`, `$2`. */
  readonly snippet: boolean;
  /** The lines have their final indentation; otherwise the editor indents them. */
  readonly indented?: true;
  /** Text to match against the input before the position, without an opening quote. */
  readonly filter: string;
  /** Sort key. */
  readonly sort: string;
  /** Another edit, such as a missing comma before the item. */
  readonly also?: TextEdit;
  /** What to show after insertion: completions, or the signature. */
  readonly next?: 'completion' | 'signature' | undefined;
  /** Probably wrong here, but offered with low priority. */
  readonly unlikely?: true;
}

/** A value, or a member of an object; a key without a value is inserted alone. */
export type Piece = { readonly value: Json } | { readonly key: string; readonly value?: Json };

/** A completion in terms of the task; `snippet.ts` converts its placeholders. */
export interface CompletionProposal
  extends Pick<CompletionItem, 'label' | 'kind' | 'signature' | 'detail' | 'doc' | 'next'>,
    Partial<Pick<CompletionItem, 'filter'>> {
  /** Inserted in this order. */
  readonly pieces: readonly Piece[];
  /** Lower ranks come first; equal ranks keep their order. */
  readonly rank: number;
  readonly unlikely?: boolean;
  /** Put each member on its own line, if the format allows. */
  readonly lines?: true;
}

/** Converts proposals to completions in the format of the file at the cursor. */
export function itemsOf(offers: readonly CompletionProposal[], file: TaskFile, cursor: Cursor): CompletionItem[] {
  return offers.map((offer, index) => {
    const { commaBefore: comma } = cursor;
    // Editors do not accept a second edit that is adjacent to the first.
    const adjacent = comma?.line === cursor.range.start.line && comma.character === cursor.range.start.character;
    const text = `${adjacent ? ', ' : ''}${writtenAt(offer, file, cursor)}`;
    const snippet = hasPlaceholders(text);
    return {
      label: offer.label,
      kind: offer.kind,
      ...defined({ signature: offer.signature, detail: offer.detail, doc: offer.doc }),
      range: cursor.range,
      text: snippet ? asSnippet(text) : asText(text),
      snippet,
      ...(cursor.between === undefined ? {} : { indented: true as const }),
      filter: offer.filter ?? offer.label,
      sort: `!${String(offer.rank).padStart(2, '0')}${String(index).padStart(5, '0')}`,
      ...(comma === undefined || adjacent ? {} : { also: { range: { start: comma, end: comma }, text: ',' } }),
      ...defined({ next: offer.next }),
      ...(offer.unlikely === true ? { unlikely: true as const } : {}),
    };
  });
}

function writtenAt(offer: CompletionProposal, { writer, format }: TaskFile, cursor: Cursor): string {
  const { between, inCall = false } = cursor;
  const pieces = offer.pieces.map((piece) => {
    if (!('key' in piece)) return writer.value(piece.value);
    const member = writer.member(piece.key, inCall);
    return piece.value === undefined ? member.replace(/\s*[:=]\s*$/, '') : `${member}${writer.value(piece.value)}`;
  });
  const end = cursor.commaAfter === true ? ',' : '';
  if (offer.lines === true && format !== 'jsonl' && between === undefined) {
    const { start, end: close } = cursor.row.range;
    // In brackets on one line, the members get lines of their own.
    const alone = start.line === close.line;
    return alone ? `\n\t${pieces.join(',\n\t')}\n` : `${pieces.join(',\n')}${end}`;
  }
  return `${pieces.join(between ?? ', ')}${end}`;
}
