import * as z from 'zod';
import type { JobPageMessage, JobPageState } from './messages.ts';

/** What the page of a job may say. Anything else is dropped and logged. */
export const jobPageMessageSchema: z.ZodType<JobPageMessage> = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('open'), runId: z.string() }),
  z.object({ type: z.literal('stop') }),
  z.object({ type: z.literal('resume') }),
]);

/** What VS Code kept of the page over a reload of the window. */
export const jobPageStateSchema: z.ZodType<JobPageState> = z.object({ folder: z.string().min(1) });
