import type { ActionDialect } from '../actions/normal.ts';
import type { Need } from '../functions/declaration.ts';
import type { Keys } from '../tasks/key-docs.ts';
import type { EnvironmentSpec, Json } from '../tasks/task.ts';

/**
 * All that Taskwright knows of one kind of environment: its findings, completion, documentation, icons, container image,
 * and re-scoring read it. One descriptor a folder, `kind.ts`, registered in `kinds.ts`; `create.ts` beside it makes the
 * environment. The extension loads descriptors at activation, so they import neither zod nor what runs an environment.
 */
export interface Kind {
  /** The name of its folder, and its name in traces and the editor: `browser`. */
  readonly name: string;
  /** The types of `gym` that it runs. */
  readonly types: Readonly<Record<string, GymType>>;
  /** Whether it runs no task of one of its types: a sentence that says why. */
  unsupported?(spec: EnvironmentSpec): string | null;
  /** What setup and evaluate functions can use here. */
  readonly provides: readonly Need[];
  /** Who carries out setup and evaluate calls: the built-in and user-defined functions, or the environment itself. */
  readonly calls: 'functions' | 'environment';
  /** Evaluate calls to offer for a new task, the likeliest first; each argument is to be replaced. */
  readonly checks: readonly SuggestedCall[];
  /** Where a task needs no prompt, because the environment gives the goal. */
  givesGoal?(spec: EnvironmentSpec): boolean;
  /** Where a task needs no evaluate call, because the environment gives a reward. */
  givesReward?(spec: EnvironmentSpec): boolean;
  /** How action strings are read; Taskwright's own way if absent. */
  dialect?(spec: EnvironmentSpec): ActionDialect['dialect'];
  /** The first response ends the run. */
  readonly responseEnds: boolean;
  /** How runs are drawn, and what a manual run offers. */
  readonly view: KindView;
  /**
   * What a recorded run is re-scored from. `page`: the recorded page, the response, and the actions. `response`: the response
   * and the actions, which are all that its checks read. `partial`: the same, although its checks can read more.
   */
  readonly rescoring: 'page' | 'response' | 'partial' | { readonly refused: string };
  /** A browser is started ahead for its session, and the session ends with the browser. */
  readonly needsBrowser: boolean;
  /** Another session may use the process of one that has ended. */
  readonly reusesProcess: boolean;
  /** The image of ours that it runs in; null where it brings an image of its own. */
  readonly image: KindImage | null;
  /** Whether a task can run in Docker only. `folder`: that of the task file, if known. */
  needsDocker?(spec: EnvironmentSpec, folder: string): boolean;
  /** Whether it needs the pages of MiniWoB++. */
  needsMiniwob?(spec: EnvironmentSpec): boolean;
  /** The registered name of the user-defined class that a task is; null if it is none. It runs in the session's process. */
  userTask?(spec: EnvironmentSpec): string | null;
  /** What to tell the user before a task runs outside a container. */
  readonly localWarning?: string;
}

/** One type of `gym`. */
export interface GymType {
  /** Markdown. */
  readonly doc: string;
  /** How it is written: as a name, or as an object with a `type`. Findings change an object to the name. */
  readonly written: 'name' | 'object' | 'either';
  /** The keys of the object. */
  readonly keys?: Keys;
  /** Keys that completion writes although they are not required. */
  readonly suggested?: readonly string[];
  /** Completion offers it before others. */
  readonly common?: true;
}

export interface SuggestedCall {
  readonly function: string;
  readonly args: readonly string[];
}

export interface KindView {
  readonly icon: 'globe' | 'speech' | 'folder' | 'screen' | 'box';
  /** What the run panel shows of a step: its screenshot, its commands and changed files, or its text alone. */
  readonly shows: 'screenshot' | 'files' | 'text';
  /** What the screenshot is of, and where manual input goes: `page`. */
  readonly surface: string;
}

export interface KindImage {
  /** `docker/<name>.Dockerfile` */
  readonly name: string;
  /** Starts a browser before the first task. */
  readonly startsBrowser: boolean;
  /** The agent runs commands in it, as a user of its own. */
  readonly agentCommands: boolean;
}

/** The image of the kinds that need a browser, or nothing. */
export const BROWSER_IMAGE: KindImage = { name: 'browser', startsBrowser: true, agentCommands: false };

/** What is known of a type of environment that this version does not run. */
export interface OtherType {
  readonly doc: string;
  /** The keys that tell one such environment from another. */
  readonly named: readonly string[];
  readonly keys?: Keys;
}

/** A non-empty text. */
export function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
