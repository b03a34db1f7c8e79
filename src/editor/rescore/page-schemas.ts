import * as z from 'zod';
import type { RescorePageMessage, RescorePageState } from '../../presentation/rescoring/messages.ts';

/** The messages of the re-score page. Anything else is dropped and logged. */
export const rescorePageMessageSchema: z.ZodType<RescorePageMessage> = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['ready', 'stop']) }),
  z.object({ type: z.literal('open'), traceDir: z.string().min(1) }),
  z.object({ type: z.literal('reveal'), traceDir: z.string().min(1), call: z.number().int().min(0) }),
  z.object({ type: z.literal('again'), everyStep: z.boolean() }),
]);

const value = {
  old: z.string(),
  new: z.string(),
  change: z.enum(['up', 'down', 'new', 'calls', 'same', 'error', 'unknown']),
};
const position = z.object({ line: z.number().int().min(0), character: z.number().int().min(0) });

/** The state of the page that VS Code restores after a window reload. */
export const rescorePageStateSchema: z.ZodType<RescorePageState> = z.object({
  head: z.object({
    title: z.string(),
    total: z.number().int().min(0),
    done: z.number().int().min(0),
    status: z.enum(['running', 'stopped', 'ended', 'failed']),
    everyStep: z.boolean(),
    summary: z.string(),
  }),
  traceDirs: z.array(z.string().min(1)),
  runs: z.array(
    z.object({
      ...value,
      traceDir: z.string().min(1),
      task: z.string(),
      description: z.string(),
      problem: z.string().nullable(),
      turns: z.string(),
      calls: z.array(
        z.object({
          ...value,
          text: z.string(),
          reason: z.string(),
          range: z.object({ start: position, end: position }),
        }),
      ),
    }),
  ),
});
