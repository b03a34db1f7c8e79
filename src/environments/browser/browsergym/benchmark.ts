import type { BrowserContext } from 'playwright-core';
import type { Json } from '../../../tasks/task.ts';
import type { Limits } from '../limits.ts';
import type { Tab } from '../pages/tab.ts';
import type { OwnPages } from '../pages/task-pages.ts';

/** How a benchmark judges what was done so far. */
export interface Judgement {
  readonly reward: number;
  readonly terminated: boolean;
  /** Whether the page was at rest when that was asked. */
  readonly atRest: boolean;
  /** What the benchmark itself says, by its own names. */
  readonly info: Readonly<Record<string, Json>>;
}

/** What one answer of the agent came to. */
export interface StepActions {
  /** As printed, a line for each action: `click('#apply')`. */
  readonly action: string;
  /** Why it failed. */
  readonly error: string | null;
}

/** A task with its own page, goal, and reward at each step: a benchmark's, as BrowserGym runs it, or a user-defined class. */
export interface Benchmark {
  /** Size of the window's inside, in CSS pixels. */
  readonly viewport: { readonly width: number; readonly height: number };
  /** Pixels of a picture for each CSS pixel; an agent's coordinates are the picture's. */
  readonly scale: number;
  /** Whether pages show their scroll bars, which take room from what stands beside them. */
  readonly scrollBars: boolean;
  readonly limits: Limits;
  /** The folder of its pages; null where its context is for no other task. */
  readonly folder: string | null;
  /** How action strings are read: as BrowserGym does, or in all ways. */
  readonly dialect: 'own' | 'browsergym';
  /** After so many answers of the agent the run ends, where the task file says nothing of it. */
  readonly maxSteps: number | null;
  /** Makes a fresh context ready, before it has a page. `own`: serves the files beside the task. */
  prepare(context: BrowserContext, own: OwnPages): Promise<void>;
  /**
   * Opens the task in a tab and returns its goal, empty where it has none; the tab is new, or shows a task of the same pages, which it replaces.
   *
   * @throws EnvironmentError `start_failed` where the task does not begin
   */
  start(tab: Tab, seed: number): Promise<string>;
  /**
   * Waits, after what the agent did, as long as BrowserGym does where the page is not at rest, and judges it then.
   *
   * @throws OutOfTime where the page does not answer
   */
  judge(tab: Tab, deeds: StepActions): Promise<Judgement>;
}
