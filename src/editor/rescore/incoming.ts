import * as z from 'zod';
import type { RescorePageMessage } from './messages.ts';

/** What the page of re-scored runs may say. Anything else is dropped and logged. */
export const rescorePageMessageSchema: z.ZodType<RescorePageMessage> = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('open'), traceDir: z.string().min(1) }),
  z.object({ type: z.literal('reveal'), traceDir: z.string().min(1), call: z.number().int().min(0) }),
  z.object({ type: z.literal('again'), everyStep: z.boolean() }),
  z.object({ type: z.literal('stop') }),
]);
