import * as z from 'zod';
import type { JobPageMessage, JobPageState } from '../../presentation/jobs/messages.ts';

/** The messages of the job page. Anything else is dropped and logged. */
export const jobPageMessageSchema: z.ZodType<JobPageMessage> = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['ready', 'stop', 'resume', 'exportCsv']) }),
  z.object({ type: z.literal('open'), runId: z.string() }),
  z.object({ type: z.literal('rerun'), failures: z.boolean() }),
]);

/** The state of the page that VS Code restores after a window reload. */
export const jobPageStateSchema: z.ZodType<JobPageState> = z.object({ folder: z.string().min(1) });
