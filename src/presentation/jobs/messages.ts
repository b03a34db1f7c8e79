import * as z from 'zod';
import type { Figure, ResultKind } from '../../results/figures.ts';

/** The messages between the job page and the extension. Messages of the page are parsed before use. */

export type CellOutcome =
  | 'waiting'
  | 'running'
  | 'pass'
  | 'partial'
  | 'fail'
  | 'none'
  | 'error'
  | 'cancelled'
  | 'interrupted';

/** One run in the grid. */
export interface JobCell {
  readonly runId: string;
  readonly outcome: CellOutcome;
  /** `0.67`, `error`; empty while it is waiting. */
  readonly text: string;
  /** For a screen reader and the tooltip: `failed, reward 0.00, 12 steps, 3.1 s`. */
  readonly accessibleText: string;
  /** The reward relative to the other runs of its task: `+1.00`; null if the task has fewer than two rewards. */
  readonly relative: string | null;
  /** Null before the end. */
  readonly steps: number | null;
  readonly durationMs: number | null;
  /** `page_contains: not on the page`, calls that did not pass first; empty if there are none. */
  readonly reasons: string;
  /** Whether it can be opened: it has a trace, or is in progress. */
  readonly canOpen: boolean;
}

/** The repeats of one task, side by side; a task with very many has several rows. */
export interface JobRow {
  readonly key: string;
  /** Index in the job's plan. */
  readonly place: number;
  /** Lower comes first: failures, then running and waiting runs, then passed runs. */
  readonly sortRank: number;
  readonly task: string;
  /** File name and address. */
  readonly title: string;
  /** One-based number of the first repeat in this row. */
  readonly first: number;
  /** `0.75 ± 0.43`; empty if no run is graded. */
  readonly summary: string;
  readonly cells: readonly JobCell[];
}

/** The job as a whole. */
export interface JobHead {
  readonly folder: string;
  readonly title: string;
  readonly status: 'running' | 'stopping' | 'ended' | 'unfinished';
  readonly startedAt: string;
  /** Null while it is running, or if it is unknown. */
  readonly durationMs: number | null;
  readonly total: number;
  readonly ended: number;
  readonly running: number;
  /** `2 of 6 passed · 4 errors`, in the color of its worst part. */
  readonly headline: { readonly text: string; readonly kind: ResultKind };
  readonly figures: readonly Figure[];
  readonly chips: readonly string[];
}

export type JobHostMessage =
  /** `job`: all rows. `progress`: the changed rows, identified by their keys. */
  | { readonly type: 'job' | 'progress'; readonly head: JobHead; readonly rows: readonly JobRow[] }
  | { readonly type: 'failed'; readonly message: string };

/** The messages of the page. Anything else is dropped and logged. */
export const jobPageMessageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('open'), runId: z.string() }),
  z.object({ type: z.enum(['stop', 'resume', 'exportCsv']) }),
  /** Runs the tasks of the job again, with the same number of repeats, as a new job. */
  z.object({ type: z.literal('rerun'), failures: z.boolean() }),
]);
export type JobPageMessage = z.infer<typeof jobPageMessageSchema>;

/** The state of the page that VS Code restores after a window reload. */
export const jobPageStateSchema = z.object({ folder: z.string().min(1) });
export type JobPageState = z.infer<typeof jobPageStateSchema>;
