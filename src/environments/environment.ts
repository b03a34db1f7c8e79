import type { Browser } from 'playwright-core';
import type { ActionInput, Point, Screen } from '../actions/action.ts';
import { CodedError } from '../base/coded-error.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { CallResult, FunctionContext, Phase } from '../functions/declaration.ts';
import type { FactQuery } from '../functions/fact-query.ts';
import type { Call, Task } from '../tasks/task.ts';
import { withoutCredentials } from './credentials.ts';
import type { KnownFile } from './known-file.ts';
import type { Observation, Picture } from './observation.ts';
import type { RecordedAction, RecordedDownload, RecordedFileChange, RecordedState } from './recorded.ts';

export type { Observation, OpenDialog, Picture } from './observation.ts';

/** A box in CSS pixels of the viewport. */
export type Box = Readonly<Point & Screen>;

/** The location and the target of an action, for the overlay and for evaluate functions. */
export interface Acted {
  /** The action as an action string: `click('#apply')`. */
  readonly action: string;
  readonly point?: Point;
  readonly box?: Box;
  /** Role and name, or tag: `button “Apply”`. */
  readonly element?: string;
  readonly bid?: string;
  /** Pixels scrolled. */
  readonly scroll?: Point;
  /** The path of a drag in CSS pixels, with the start first. */
  readonly path?: readonly Point[];
  readonly text?: string;
  /** Why the action has no effect in this environment. */
  readonly ignored?: string;
}

/** The element at a point in a manual run, with names that an action can use. */
export interface Pointed {
  /** A selector that matches only this element; null if none was found or the element is in a frame. */
  readonly selector: string | null;
  /** The element's id in the last observation. */
  readonly bid: string | null;
  /** Its visible label: `Size`. */
  readonly label: string;
  /** Whether a click on the center of the element is equivalent to a click at the point. */
  readonly steady: boolean;
  /** Action pixels per CSS pixel: more than 1 if the agent's screenshots are larger than the page. */
  readonly scale: number;
  /** Whether text that is typed into it is secret. */
  readonly secret: boolean;
  /** Whether it uses HTML drag and drop. */
  readonly draggable: boolean;
  /** Whether it opens a list, a calendar, or a dialog of the browser, which screenshots do not show. */
  readonly asks:
    | { readonly kind: 'select'; readonly options: readonly ListOption[]; readonly multiple: boolean }
    /** `type`: the type of the input, such as `date`. */
    | { readonly kind: 'value'; readonly type: string; readonly value: string }
    | { readonly kind: 'file' }
    | null;
}

/** An option of a list in the page. */
export interface ListOption {
  readonly value: string;
  readonly label: string;
  readonly chosen: boolean;
}

/** A console message, an uncaught error, a dialog, a download, or a failed request of a page. */
export interface PageMessage {
  readonly kind: 'log' | 'info' | 'warning' | 'error' | 'exception' | 'dialog' | 'download' | 'request';
  readonly text: string;
  /** The source as `file:line` or URL. */
  readonly location?: string;
}

/** Facts about a step that are not part of the observation, as JSON. All keys are optional. */
export interface StepInfo {
  readonly acted?: readonly Acted[];
  readonly messages?: readonly PageMessage[];
  readonly url?: string;
  readonly title?: string;
  /** Size of the viewport in CSS pixels. */
  readonly viewport?: { readonly width: number; readonly height: number };
  /** Milliseconds for acting, waiting for the page to settle, taking the screenshot, and reading the text. */
  readonly timing?: Readonly<Record<'action' | 'settle' | 'picture' | 'text', number>>;
  /** The response that this step stored. */
  readonly response?: string;
  /** The outputs and exit statuses of the step's commands. */
  readonly outputs?: readonly {
    readonly command: string;
    readonly output: string;
    /** Null if a signal terminated it. */
    readonly exit_code: number | null;
    /** Set if it timed out. */
    readonly timed_out?: true;
    readonly duration_ms: number;
  }[];
  /** Files that have changed since the task started, whose differences the run panel shows. */
  readonly changes?: readonly RecordedFileChange[];
  /** The files that pages have downloaded in this step, and those in progress. */
  readonly downloads?: readonly RecordedDownload[];
  /** The windows of a desktop, the topmost first. */
  readonly windows?: readonly {
    readonly title: string;
    /** The program's class, such as `XTerm`. */
    readonly app: string;
    readonly active: boolean;
    /** In pixels of the screen. */
    readonly box: Box;
  }[];
  /** The environment's own state, if it was requested (`openenv`). */
  readonly state?: Json;
  /** The sum of the environment's rewards so far (`openenv`). */
  readonly total_reward?: number;
  /** Facts of a benchmark by its own names; BrowserGym's `task_info`. */
  readonly task_info?: JsonObject;
}

/** The answer to reset and step. */
export interface StepResult {
  readonly observation: Observation;
  /** The environment's own reward, or null. */
  readonly reward: number | null;
  readonly terminated: boolean;
  readonly info: StepInfo;
  /** The failure of an action. The agent sees it, and the run continues. */
  readonly error: { readonly message: string; readonly code: string } | null;
  /** The HTML of the page, pruned as in OpenEnv's `browsergym_env`, if the reset asked for it. Never recorded. */
  readonly html?: string;
  /** The id of the focused element; empty if no element has the focus. With `html` only. */
  readonly focused?: string;
  /** Texts that were typed into password fields, and the fields' values. For masking; never recorded. */
  readonly secrets?: readonly string[];
  /** Contents that `info.changes` and `info.downloads` refer to and no earlier step has returned, by name. Recorded in separate files. */
  readonly contents?: Readonly<Record<string, Uint8Array>>;
  /** The state for re-scoring. It is recorded with the trace and never shown to agents. */
  readonly recorded?: RecordedState;
}

/** The answer to reset. */
export interface StartResult extends StepResult {
  /** A prompt from the environment, or null. */
  readonly goal: string | null;
  /** Maximum number of steps, unless the task or the user sets another. */
  readonly max_steps?: number;
  /** A warning for the user: the task may not run as written. */
  readonly warning?: string;
  /** JSON Schema of an action, if the environment publishes one. */
  readonly actions?: JsonObject;
  /** What agents can act on, if only the running environment knows. */
  readonly offers?: readonly Offer[];
}

/** The pages of a browser, a desktop, or commands in a shell. */
export type Offer = 'page' | 'desktop' | 'commands';

/**
 * The files of a task: a folder, or their contents if the server cannot access the folder. `withheld`: files that no
 * agent may read.
 */
export type TaskFiles =
  | { readonly folder: string; readonly withheld?: readonly KnownFile[] | undefined }
  | { readonly contents: Readonly<Record<string, Uint8Array>> };

export interface ResetOptions {
  readonly task: Task;
  readonly files: TaskFiles;
  readonly seed: number;
  /** Where the server of the environment is, if it was started for the task. */
  readonly address?: string | undefined;
  /** Where the server of the task's verifier is, if one was started. */
  readonly verifier?: string | undefined;
  /** Results also have the HTML of the page. */
  readonly html?: true | undefined;
  /** The values of the variables that `Kind.variables` names. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** A debugger may stop the server of the environment, so its answers have no time limit. */
  readonly unlimited?: true | undefined;
  /** The user's time limit in ms for code of the environment that starts the task. */
  readonly limitMs?: number | undefined;
}

/** The `Episode` of a snapshot. */
export interface RecordedEpisode {
  readonly observation: Json;
  readonly totalReward: number;
  /** Absent if it was not requested. */
  readonly state?: Json | undefined;
}

/** A snapshot of a recorded run to restore. */
export interface RecordedSnapshot {
  /** A `RecordedPage` as JSON, or null. */
  readonly page: Uint8Array | null;
  /** Resources of pages, by hash. */
  readonly resources: Readonly<Record<string, Uint8Array>>;
  /** All actions up to the snapshot. */
  readonly actions: readonly RecordedAction[];
  readonly response: string | null;
  /** Absent if observations are not data. */
  readonly episode?: RecordedEpisode | undefined;
  /** The changed files, whose texts are among the resources; absent where none are recorded. */
  readonly changes?: StepInfo['changes'] | undefined;
  /** The downloads so far, whose contents are among the resources. */
  readonly downloads?: readonly RecordedDownload[] | undefined;
  /** Whether the previous snapshot must leave no trace, because a user-defined function ran in it. */
  readonly fresh: boolean;
}

/** Snapshots of recorded runs, and what to read of the page of each. */
export interface SnapshotBatch {
  readonly moments: readonly { readonly page: Uint8Array; readonly queries: readonly (FactQuery | null)[] }[];
  /** Resources of pages, by hash. */
  readonly resources: Readonly<Record<string, Uint8Array>>;
  /** `fresh` of the first `RecordedSnapshot`. */
  readonly fresh: boolean;
}

/** The facts that were read from the page of a snapshot. */
export interface SnapshotFacts {
  /** One `Fact` for each query. */
  readonly facts: readonly unknown[];
  /** Descriptions of what the recording does not contain. */
  readonly gaps: readonly string[];
  /** The number of entries in the tab's history. */
  readonly history: number;
}

/** What environments get from their session. Only environments that need a browser request it. */
export interface EnvironmentTools {
  /** A connected browser; the same one for every environment of a process. */
  browser(): Promise<Browser>;
  log(text: string): void;
  /** The folder with the pages of MiniWoB++. Rejects with `EnvironmentError` `pages_missing` if there is none. */
  miniwob?(): Promise<string>;
  /** Why a URL is not reachable from where the environment runs, if that is known. */
  whyUnreached?(url: string): Promise<string | null>;
}

/** Creates an environment. `environment.ts` of each kind exports it as `create`. */
export type CreateEnvironment = (tools: EnvironmentTools) => Environment;

/** URLs at which an environment can be viewed. */
export interface EnvironmentUrls {
  readonly url: string | null;
  readonly live_url: string | null;
}

/** An environment that an agent acts in. It runs in a session's process, with one task at a time. */
export interface Environment {
  /** Creates the task's initial state, without any state of an earlier task. */
  reset(options: ResetOptions): Promise<StartResult>;
  /**
   * Executes one answer of the agent. Actions after the first failure do not run. `screen`: the resolution of their
   * coordinates, if it differs from that of the screenshots.
   */
  step(actions: readonly ActionInput[], screen?: Screen): Promise<StepResult>;
  /** The current observation, used after setup calls. */
  observe(): Promise<StepResult>;
  /**
   * The element at a point of the viewport, in CSS pixels, or, for null, the focused element; null if there is none.
   * Without this method, manual runs use coordinates only.
   */
  pointed?(point: Point | null): Promise<Pointed | null>;
  /**
   * Restores a snapshot of a recorded run for evaluate functions only: no actions are possible until the next reset.
   * Resolves with descriptions of what the recording does not contain. Rejects with `EnvironmentError` `not_recorded`
   * if the snapshot cannot be restored. Without this method, the state of runs is not recorded.
   */
  restore?(moment: RecordedSnapshot): Promise<readonly string[]>;
  /**
   * Reads the pages of several snapshots at once. Null for one that must be restored separately. Afterwards, none of
   * them is restored.
   */
  readEach?(moments: SnapshotBatch): Promise<readonly (SnapshotFacts | null)[]>;
  /**
   * Rejects with an `EnvironmentError` if something that it runs crashes, which also fails pending calls; never
   * resolves.
   */
  readonly broken?: Promise<never>;
  /**
   * The reason for a reward of 0 if the agent's result cannot be evaluated; otherwise null. Called when an evaluate
   * call that accessed the page has reached its time limit. Without this method, every such call is an error.
   */
  whyStuck?(): Promise<string | null>;
  /**
   * The context of built-in and user-defined functions. Without this method, the environment executes calls itself,
   * with `call`.
   */
  functionContext?(): FunctionContext;
  /**
   * Executes a setup or evaluate call if all functions are the environment's own, such as those of a controller.
   * Aborting the signal ends pending work. `response`: replaces the agent's response.
   */
  call?(
    call: Call,
    phase: Phase,
    options: { readonly response?: string; readonly signal: AbortSignal },
  ): Promise<CallResult>;
  /**
   * Called before a setup or evaluate call: dismisses the open dialogs of a page. Until the returned function is called, no agent
   * can answer others.
   */
  startCall?(): Promise<() => void>;
  /**
   * Called when the agent has ended, if the last result has an open dialog or a download in progress: dismisses the dialog, and waits
   * for the download for a limited time. Resolves with the observation after that.
   */
  finish?(): Promise<StepResult>;
  /** The outputs of commands in setup and evaluate calls since the last call. */
  outputs?(): NonNullable<StepInfo['outputs']>;
  /** The URLs at which the environment can be viewed: HUD's `get_urls`. */
  urls?(): Promise<EnvironmentUrls> | EnvironmentUrls;
  /** Starts the live view: `frame` is called with every changed frame until the returned function is called. */
  live?(frame: (picture: Picture) => void): Promise<() => Promise<void>>;
  /** Like `close`, but keeps resources that the next `reset` can reuse without any trace of this task. */
  rest?(): Promise<void>;
  close(): Promise<void>;
  /** The error for the end of its browser. */
  browserGone?(): EnvironmentError;
}

/** The members of a result without a reward, an end, and an error. */
export const PLAIN_RESULT = { reward: null, terminated: false, error: null } as const;

/** The state of the current task. Throws an `EnvironmentError` if there is no task. */
export function requireTask<State>(state: State | null): State {
  if (state !== null) return state;
  throw new EnvironmentError('environment_failed', 'The environment has no task yet. Reset it first.');
}

/** The task's folder. Throws an `EnvironmentError` if the files are not on this machine. */
export function requireFolder<Files extends TaskFiles>(files: Files): Extract<Files, { readonly folder: string }> {
  if ('folder' in files) return files as Extract<Files, { readonly folder: string }>;
  throw new EnvironmentError('start_failed', 'The files of the task were not put in place.');
}

/** An error that ends a session and not only an action, such as a crashed page or browser. */
export class EnvironmentError extends CodedError<
  | 'page_crashed'
  /** A page that the agent opened, not one of the task. */
  | 'visited_page_crashed'
  | 'browser_crashed'
  | 'browser_missing'
  | 'browser_failed'
  /** The initial state of the task cannot be created. */
  | 'start_failed'
  | 'pages_missing'
  | 'desktop_missing'
  | 'desktop_failed'
  | 'desktop_crashed'
  | 'not_recorded'
  /** A user-defined class of a custom task threw, or returned an invalid value. */
  | 'task_failed'
  | 'environment_failed'
  /** The server of an environment does not answer. */
  | 'environment_unreached'
  /** The server of an environment has no room for another session. */
  | 'environment_full'
  /** The server of an environment ended, hung, or closed the session. */
  | 'environment_lost'
  | 'version_mismatch'
> {
  override readonly name = 'EnvironmentError';
}

/** Creates errors of servers of a kind, by their addresses. `what`: the end of a sentence about the server. */
export function serverErrors(server: string) {
  return (code: EnvironmentError['code'], address: string, what: string, options?: ErrorOptions): EnvironmentError =>
    new EnvironmentError(code, `The ${server} at ${withoutCredentials(address)} ${what}`, options);
}
