import type { BrowserContext } from 'playwright-core';
import type { Json } from '../../tasks/task.ts';
import type { Limits } from './limits.ts';
import type { Messages } from './messages.ts';
import type { Tab } from './tab.ts';

/** How a benchmark judges what was done so far. */
export interface Judgement {
  readonly reward: number;
  readonly terminated: boolean;
  /** Whether the page was at rest when that was asked. */
  readonly atRest: boolean;
  /** What the benchmark itself says, by its own names. */
  readonly info: Readonly<Record<string, Json>>;
}

/** A benchmark's task as BrowserGym runs it: its own pages, goal, and reward at each step. */
export interface Benchmark {
  /** Size of the window's inside, in CSS pixels. */
  readonly viewport: { readonly width: number; readonly height: number };
  /** Pixels of a picture for each CSS pixel; an agent's coordinates are the picture's. */
  readonly scale: number;
  /** Whether pages show their scroll bars, which take room from what stands beside them. */
  readonly scrollBars: boolean;
  readonly limits: Limits;
  /** The folder of its pages. */
  readonly folder: string;
  /** Makes a fresh context ready, before it has a page; `messages`: told of files that its pages lack. */
  prepare(context: BrowserContext, messages: Messages): Promise<void>;
  /**
   * Opens the task in a tab and returns its goal; the tab is new, or shows a task of the same pages, which it replaces.
   *
   * @throws EnvironmentError `start_failed` where the task does not begin
   */
  start(tab: Tab, seed: number): Promise<string>;
  /** Waits, after what the agent did, as long as BrowserGym does where the page is not at rest, and judges it then. */
  judge(tab: Tab): Promise<Judgement>;
}
