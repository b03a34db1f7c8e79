import * as z from 'zod';

const DEFAULT_LIMIT = 40;
/** Maximum length of a line. */
const LINE_LENGTH = 1_000;

/** The input for the length of the answer of a tool that acts. A request for the rest would act again, so it has no offset. */
export const cutting = {
  limit: z.number().int().min(1).max(1000).default(DEFAULT_LIMIT).describe('Lines of the answer'),
};

/** The inputs for a part of a long answer. */
export const paging = {
  ...cutting,
  offset: z.number().int().min(0).default(0).describe('First line, to read on'),
};

/** The part of a long answer to show. */
export interface PageRange {
  readonly limit: number;
  readonly offset?: number;
  /** Long lines are shown in full. */
  readonly full?: boolean;
  /** How to read the rest; by default, with an offset. */
  readonly more?: string;
}

/** The lines of a page, and how to read on. */
export function page(text: string, { limit, offset = 0, full = false, more }: PageRange): string {
  const lines = text.replace(/\n+$/, '').split('\n');
  const visibleLines = lines.slice(offset, offset + limit);
  const left = lines.length - offset - visibleLines.length;
  const rest = `… ${left} more ${left === 1 ? 'line' : 'lines'}.`;
  return [
    ...(full ? visibleLines : visibleLines.map((line) => cutText(line, LINE_LENGTH))),
    ...(left > 0 ? [`${rest} ${more ?? `Read on with offset ${offset + visibleLines.length}.`}`] : []),
  ].join('\n');
}

/** The beginning of a long text, and how long it is. */
export function cutText(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}… (${text.length} characters)`;
}
