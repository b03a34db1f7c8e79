/**
 * Everything the page of re-scored runs and the extension say to each other. The page imports types from here and nothing
 * else of it; what comes from the page is parsed before use.
 */

import type { Range } from '../../tasks/range.ts';

/** How a value stands to what it was; `unknown`: it cannot be decided from the recording, `new`: it had no value. */
export type Change = 'up' | 'down' | 'same' | 'new' | 'unknown';

/** A value as it was and as it is now: `0.50`, or `–` where there is none. */
export interface ChangedValue {
  readonly old: string;
  readonly new: string;
  readonly change: Change;
}

export interface RescoredCallRow extends ChangedValue {
  /** As it stands in the task now. */
  readonly text: string;
  readonly reason: string;
  /** Where it stands in its task file. */
  readonly range: Range;
}

export interface RescoredRunRow extends ChangedValue {
  readonly traceDir: string;
  readonly task: string;
  /** Agent and age. */
  readonly about: string;
  /** Why it was not judged; null where it was. */
  readonly problem: string | null;
  /** Where the reward turned, step by step; empty where only the end was asked for. */
  readonly turns: string;
  /** All evaluate calls of the task. */
  readonly calls: readonly RescoredCallRow[];
}

export interface RescoreHead {
  /** What is judged again: a task, a job, `3 tasks`. */
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
  /** What has come since. */
  | { readonly type: 'progress'; readonly head: RescoreHead; readonly runs: readonly RescoredRunRow[] };

/** What VS Code keeps of the page over a reload of the window. */
export interface RescorePageState {
  readonly head: RescoreHead;
  /** All that are judged again, by their folders. */
  readonly traceDirs: readonly string[];
  readonly runs: readonly RescoredRunRow[];
}

export type RescorePageMessage =
  | { readonly type: 'ready' }
  /** Show the run. */
  | { readonly type: 'open'; readonly traceDir: string }
  /** Show a call in the task file. */
  | { readonly type: 'reveal'; readonly traceDir: string; readonly call: number }
  /** Judge the same runs once more. */
  | { readonly type: 'again'; readonly everyStep: boolean }
  | { readonly type: 'stop' };
