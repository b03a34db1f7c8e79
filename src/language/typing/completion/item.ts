import type { TextEdit } from '../../../tasks/change.ts';
import type { Range } from '../../../tasks/range.ts';
import type { Cursor, TaskFile } from '../../../tasks/rows.ts';
import { asSnippet, asText, hasPlaceholders } from '../../../tasks/snippet.ts';
import type { Json } from '../../../tasks/task.ts';

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

/** One thing that can be written at a place, as an editor offers it. */
export interface CompletionItem {
  readonly label: string;
  readonly kind: CompletionKind;
  /** Beside the label: `(selector, pattern)`. */
  readonly signature?: string;
  /** At the end of the line: where it comes from. */
  readonly detail?: string;
  /** Markdown. */
  readonly doc?: string;
  /** What is replaced: on one line, around the place. */
  readonly range: Range;
  readonly text: string;
  /** The text is a snippet: `${1:name}`, `$2`. */
  readonly snippet: boolean;
  /** Its lines stand as they are; else an editor indents them as the line that they are put into. */
  readonly indented?: true;
  /** What the text from the range's start to the place is compared with, without the quote it may begin with. */
  readonly filter: string;
  /** Items stand in the order of these. */
  readonly sort: string;
  /** What else is inserted, such as a comma that was missing before. */
  readonly also?: TextEdit;
  /** What to show next: what was inserted can be completed at once, or has arguments to fill in. */
  readonly next?: 'completion' | 'signature';
  /** What is very likely wrong here, and offered all the same. */
  readonly unlikely?: true;
}

/** A value, or a member of an object; a key without a value stands alone. */
export type Piece = { readonly value: Json } | { readonly key: string; readonly value?: Json };

/** What is to be offered, in the task's own terms; holes (`snippet.ts`) are to be withPlaceholders in. */
export interface CompletionProposal extends Pick<CompletionItem, 'label' | 'kind'> {
  readonly signature?: string | undefined;
  readonly detail?: string | undefined;
  readonly doc?: string | undefined;
  readonly filter?: string;
  /** What is put in, in its order. */
  readonly pieces: readonly Piece[];
  /** Lower stands first; those of the same rank in the order in which they are offered. */
  readonly rank: number;
  readonly next?: CompletionItem['next'] | undefined;
  readonly unlikely?: boolean;
  /** Members on lines of their own, where the format has lines. */
  readonly lines?: true;
}

/** Turns offers into what the format of the file wants at the cursor. */
export function itemsOf(offers: readonly CompletionProposal[], file: TaskFile, cursor: Cursor): CompletionItem[] {
  return offers.map((offer, index) => {
    const { commaBefore: comma } = cursor;
    // An editor takes no second edit right where the first begins.
    const adjacent = comma?.line === cursor.range.start.line && comma.character === cursor.range.start.character;
    const written = `${adjacent ? ', ' : ''}${writtenAt(offer, file, cursor)}`;
    const snippet = hasPlaceholders(written);
    return {
      label: offer.label,
      kind: offer.kind,
      ...(offer.signature === undefined ? {} : { signature: offer.signature }),
      ...(offer.detail === undefined ? {} : { detail: offer.detail }),
      ...(offer.doc === undefined ? {} : { doc: offer.doc }),
      range: cursor.range,
      text: snippet ? asSnippet(written) : asText(written),
      snippet,
      ...(cursor.between === undefined ? {} : { indented: true as const }),
      filter: offer.filter ?? offer.label,
      sort: `!${String(offer.rank).padStart(2, '0')}${String(index).padStart(5, '0')}`,
      ...(comma === undefined || adjacent ? {} : { also: { range: { start: comma, end: comma }, text: ',' } }),
      ...(offer.next === undefined ? {} : { next: offer.next }),
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
    // In brackets that stand on one line, the members get lines of their own between them.
    const alone = start.line === close.line;
    return alone ? `\n\t${pieces.join(',\n\t')}\n` : `${pieces.join(',\n')}${end}`;
  }
  return `${pieces.join(between ?? ', ')}${end}`;
}
