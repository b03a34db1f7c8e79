import * as z from 'zod';

const DEFAULT_LIMIT = 40;

/** The inputs with which an agent asks for more of a long answer. */
export const paging = {
  limit: z.number().int().min(1).max(1000).default(DEFAULT_LIMIT).describe('Lines of the answer'),
  offset: z.number().int().min(0).default(0).describe('First line, to read on'),
};

/** The lines of a page, and how to read on. */
export function page(text: string, { limit, offset }: { readonly limit: number; readonly offset: number }): string {
  const lines = text.replace(/\n+$/, '').split('\n');
  const shown = lines.slice(offset, offset + limit);
  const left = lines.length - offset - shown.length;
  return [
    ...shown,
    ...(left > 0
      ? [`… ${left} more ${left === 1 ? 'line' : 'lines'}. Read on with offset ${offset + shown.length}.`]
      : []),
  ].join('\n');
}
