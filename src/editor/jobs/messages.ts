/**
 * Everything the job panel and the extension say to each other. The page imports types from here and nothing else of
 * it; what comes from the page is parsed before use.
 */

export type CellOutcome =
  | 'waiting'
  | 'running'
  | 'pass'
  | 'partial'
  | 'fail'
  | 'none'
  | 'error'
  | 'stopped'
  | 'interrupted';

/** One run in the grid. */
export interface JobCell {
  readonly runId: string;
  readonly outcome: CellOutcome;
  /** `0.67`, `error`; empty while it waits. */
  readonly text: string;
  /** For a screen reader and the tooltip: `failed, reward 0.00, 12 steps, 3.1 s`. */
  readonly spoken: string;
  /** It has a trace, or is under way: there is something to look at. */
  readonly opens: boolean;
}

/** The repeats of one task, side by side; a task with very many has several rows. */
export interface JobRow {
  readonly key: string;
  /** Place in the job's plan, from 0. */
  readonly place: number;
  /** Lower comes first: failures, then what runs or waits, then what passed. */
  readonly rank: number;
  readonly task: string;
  /** File name and address. */
  readonly title: string;
  /** Number of the first repeat in this row, from 1. */
  readonly first: number;
  /** `0.75 ± 0.43`; empty where nothing is graded. */
  readonly summary: string;
  readonly cells: readonly JobCell[];
}

/** The job as a whole. */
export interface JobHead {
  readonly folder: string;
  readonly title: string;
  readonly status: 'running' | 'stopping' | 'ended' | 'unfinished';
  readonly startedAt: string;
  /** Null while it runs, or where it is not known. */
  readonly durationMs: number | null;
  readonly total: number;
  readonly ended: number;
  readonly running: number;
  /** Name and value of each figure, such as `success` and `75 %`, with an explanation. */
  readonly figures: readonly { readonly name: string; readonly value: string; readonly title: string }[];
  readonly chips: readonly string[];
}

export type JobHostMessage =
  | { readonly type: 'job'; readonly head: JobHead; readonly rows: readonly JobRow[] }
  /** What has changed; a row keeps its key. */
  | { readonly type: 'progress'; readonly head: JobHead; readonly rows: readonly JobRow[] }
  | { readonly type: 'failed'; readonly message: string };

export type JobPageMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'open'; readonly runId: string }
  | { readonly type: 'stop' }
  | { readonly type: 'resume' };

/** What the page keeps through a reload of the window. */
export interface JobPageState {
  readonly folder: string;
}
