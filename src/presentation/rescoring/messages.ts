import type { Range } from '../../base/range.ts';
import type { Change } from '../../results/rescore-change.ts';

/** The messages between the re-score page and the extension. Messages of the page are parsed before use. */

export type { Change } from '../../results/rescore-change.ts';

/** The recorded and the new value: `0.50`, or `–` if there is none. */
export interface ChangedValue {
  readonly old: string;
  readonly new: string;
  readonly change: Change;
}

export interface RescoredCallRow extends ChangedValue {
  /** As in the current task. */
  readonly text: string;
  readonly reason: string;
  /** Its range in the task file. */
  readonly range: Range;
}

export interface RescoredRunRow extends ChangedValue {
  readonly traceDir: string;
  readonly task: string;
  /** Agent and age. */
  readonly description: string;
  /** Why it was not re-scored; null if it was. */
  readonly problem: string | null;
  /** The steps at which the reward changes; empty unless every step was requested. */
  readonly turns: string;
  /** All evaluate calls of the task. */
  readonly calls: readonly RescoredCallRow[];
}

export interface RescoreHead {
  /** What is re-scored: a task, a job, `3 tasks`. */
  readonly title: string;
  readonly total: number;
  readonly done: number;
  readonly status: 'running' | 'stopped' | 'ended' | 'failed';
  readonly everyStep: boolean;
  /** `3 of 40 changed: 2 up, 1 down`. */
  readonly summary: string;
}

export type RescoreHostMessage =
  | ({ readonly type: 'results' } & RescorePageState)
  /** New results. */
  | { readonly type: 'progress'; readonly head: RescoreHead; readonly runs: readonly RescoredRunRow[] };

/** The state of the page that VS Code restores after a window reload. */
export interface RescorePageState {
  readonly head: RescoreHead;
  /** The folders of all runs to re-score. */
  readonly traceDirs: readonly string[];
  readonly runs: readonly RescoredRunRow[];
}

export type RescorePageMessage =
  | { readonly type: 'ready' }
  /** Opens the run. */
  | { readonly type: 'open'; readonly traceDir: string }
  /** Shows a call in the task file. */
  | { readonly type: 'reveal'; readonly traceDir: string; readonly call: number }
  /** Re-scores the same runs again. */
  | { readonly type: 'again'; readonly everyStep: boolean }
  | { readonly type: 'stop' };
