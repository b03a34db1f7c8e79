import * as z from 'zod';
import type { OpenDialog } from './observation.ts';

/** The open dialog in an observation. */
export const dialogSchema = z.object({
  type: z.enum(['confirm', 'prompt']),
  message: z.string(),
  default_value: z.string().exactOptional(),
}) satisfies z.ZodType<OpenDialog>;

/** `a confirm dialog is open: “Delete it?”`; with the text in the field of a prompt. */
export function describeDialog({ type, message, default_value: text }: OpenDialog): string {
  const field = text === undefined ? '' : `, with “${text}” in its field`;
  return `a ${type} dialog is open: “${message}”${field}`;
}
