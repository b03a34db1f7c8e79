import type { BrowserContext } from 'playwright-core';
import type { JsonObject } from '../../../base/json.ts';
import type { Limits } from '../limits.ts';
import type { Tab } from '../pages/tab.ts';
import type { TaskPages } from '../pages/task-pages.ts';

/** The state of an episode according to its benchmark. */
export interface Judgement {
  readonly reward: number;
  readonly terminated: boolean;
  /** Whether the page was idle at that time. */
  readonly atRest: boolean;
  /** Additional facts of the benchmark, by its own names. */
  readonly info: JsonObject;
}

/** The actions in one answer of the agent. */
export interface StepActions {
  /** As action strings, one per line: `click('#apply')`. */
  readonly action: string;
  /** Why an action failed. */
  readonly error: string | null;
}

/** A task with its own page, goal, and reward at each step: a benchmark's, as BrowserGym runs it, or a user-defined class. */
export interface Benchmark {
  /** The size of the viewport in CSS pixels. */
  readonly viewport: { readonly width: number; readonly height: number };
  /** Screenshot pixels per CSS pixel. The agent's coordinates are those of the screenshot. */
  readonly scale: number;
  /** Whether pages show scroll bars, which reduce the space for content. */
  readonly scrollBars: boolean;
  readonly limits: Limits;
  /** The folder of its pages; null if its browser context cannot be reused for another task. */
  readonly folder: string | null;
  /** How action strings are read: as BrowserGym does, or in all ways. */
  readonly dialect: 'own' | 'browsergym';
  /** The maximum number of answers of the agent, unless the task file sets one. */
  readonly maxSteps: number | null;
  /** A warning about the first page of the task, after `start`. */
  readonly warning?: string | null;
  /** Prepares a new context before it has a page. `taskPages` serves the files next to the task. */
  prepare(context: BrowserContext, taskPages: TaskPages): Promise<void>;
  /**
   * Opens the task in a tab and returns its goal, which may be empty. The tab is new, or shows another task of the same
   * benchmark, which is replaced.
   *
   * @throws EnvironmentError `start_failed` if the task does not start
   */
  start(tab: Tab, seed: number): Promise<string>;
  /**
   * Waits as long as BrowserGym does if the page is not idle after the agent's actions, and then reads the state of the
   * episode.
   *
   * @throws OutOfTime if the page does not answer
   */
  judge(tab: Tab, deeds: StepActions): Promise<Judgement>;
}
