import * as z from 'zod';
import type { PanelMessage, PanelState } from './messages.ts';

const index = z.number().int().min(0);

/** What the page may say. Anything else is dropped and logged. */
export const panelMessageSchema: z.ZodType<PanelMessage> = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('selected'), index: index.nullable() }),
  z.object({ type: z.literal('text'), index }),
  z.object({ type: z.literal('raw'), index }),
  z.object({ type: z.literal('reveal'), index }),
  z.object({ type: z.literal('revealLine'), line: z.number().int().min(1) }),
  z.object({ type: z.literal('rerun') }),
  z.object({ type: z.literal('cancel') }),
  z.object({ type: z.literal('pin'), pinned: z.boolean() }),
  z.object({ type: z.literal('openTrace') }),
  z.object({ type: z.literal('live'), on: z.boolean() }),
  z.object({ type: z.literal('drawn') }),
]);

/** What a page kept through a reload of the window. */
export const panelStateSchema: z.ZodType<PanelState> = z.object({
  traceDir: z.string().min(1),
  select: index.nullable(),
  tab: z.string(),
  picture: z.string(),
});
