import * as z from 'zod';
import type { Change } from '../../results/rescore-change.ts';

/** The messages between the re-score page and the extension. Messages of the page are parsed before use. */

export type { Change } from '../../results/rescore-change.ts';

/** The recorded and the new value: `0.50`, or `–` if there is none. */
const changedValue = {
  old: z.string(),
  new: z.string(),
  change: z.enum(['up', 'down', 'new', 'calls', 'same', 'error', 'unknown'] satisfies Change[]),
};

const position = z.object({ line: z.number().int().min(0), character: z.number().int().min(0) });

const callRowSchema = z.object({
  ...changedValue,
  /** As in the current task. */
  text: z.string(),
  reason: z.string(),
  /** Its range in the task file. */
  range: z.object({ start: position, end: position }),
});

const runRowSchema = z.object({
  ...changedValue,
  traceDir: z.string().min(1),
  task: z.string(),
  /** Agent and age. */
  description: z.string(),
  /** Why it was not re-scored; null if it was. */
  problem: z.string().nullable(),
  /** The steps at which the reward changes; empty unless every step was requested. */
  turns: z.string(),
  /** All evaluate calls of the task. */
  calls: z.array(callRowSchema),
});
export type RescoredRunRow = z.infer<typeof runRowSchema>;
export type ChangedValue = Pick<RescoredRunRow, keyof typeof changedValue>;

const headSchema = z.object({
  /** What is re-scored: a task, a job, `3 tasks`. */
  title: z.string(),
  total: z.number().int().min(0),
  done: z.number().int().min(0),
  status: z.enum(['running', 'stopped', 'ended', 'failed']),
  everyStep: z.boolean(),
  /** `3 of 40 changed: 2 up, 1 down`. */
  summary: z.string(),
});
export type RescoreHead = z.infer<typeof headSchema>;

/** The state of the page that VS Code restores after a window reload. */
export const rescorePageStateSchema = z.object({
  head: headSchema,
  /** The folders of all runs to re-score. */
  traceDirs: z.array(z.string().min(1)).readonly(),
  runs: z.array(runRowSchema).readonly(),
});
export type RescorePageState = z.infer<typeof rescorePageStateSchema>;

export type RescoreHostMessage =
  | ({ readonly type: 'results' } & RescorePageState)
  /** New results. */
  | { readonly type: 'progress'; readonly head: RescoreHead; readonly runs: readonly RescoredRunRow[] };

/** The messages of the page. Anything else is dropped and logged. */
export const rescorePageMessageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('stop') }),
  /** Opens the run. */
  z.object({ type: z.literal('open'), traceDir: z.string().min(1) }),
  /** Shows a call in the task file. */
  z.object({ type: z.literal('reveal'), traceDir: z.string().min(1), call: z.number().int().min(0) }),
  /** Re-scores the same runs again. */
  z.object({ type: z.literal('again'), everyStep: z.boolean() }),
]);
export type RescorePageMessage = z.infer<typeof rescorePageMessageSchema>;
