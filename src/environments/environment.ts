import type { Browser } from 'playwright-core';
import type { ActionInput, Point, Screen } from '../actions/action.ts';
import type { CallResult, FunctionContext, Phase } from '../functions/declaration.ts';
import type { FactQuery } from '../functions/page/fact.ts';
import type { Call, Json, Task } from '../tasks/task.ts';
import type { KnownFile } from './known-file.ts';
import type { RecordedAction, RecordedState } from './recorded.ts';

/** A picture as it is sent and stored: never base64 inside the program. */
export interface Picture {
  readonly type: 'png' | 'jpg';
  readonly data: Uint8Array;
  /** Size in pixels. */
  readonly width: number;
  readonly height: number;
}

/** What the agent sees. A kind of environment gives what it has: text, a screenshot, structured data. */
export interface Observation {
  /** Browser: the accessibility tree with element ids, as BrowserGym prints it. */
  readonly text: string | null;
  readonly screenshot: Picture | null;
  /** In a form of the kind's own. */
  readonly data?: Json;
}

/** A box in CSS pixels of the viewport. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Where and on what one action acted, for the overlay and for evaluate functions. */
export interface Acted {
  /** The action as printed for people: `click('#apply')`. */
  readonly action: string;
  readonly point?: { readonly x: number; readonly y: number };
  readonly box?: Box;
  /** Role and name, or tag: `button “Apply”`. */
  readonly element?: string;
  readonly bid?: string;
  /** Pixels scrolled. */
  readonly scroll?: { readonly x: number; readonly y: number };
  /** Drags: the way, in CSS pixels, start first. */
  readonly path?: readonly { readonly x: number; readonly y: number }[];
  readonly text?: string;
  /** Why an action does nothing in this environment. */
  readonly ignored?: string;
}

/** What is at a point of the page in a manual run: how an action can name it again. */
export interface Pointed {
  /** A selector that only this element matches; null where none was found, and for what is in a frame. */
  readonly selector: string | null;
  /** The element's id in the last observation. */
  readonly bid: string | null;
  /** Its visible name: `Size`. */
  readonly label: string;
  /** A click on the middle of the element does what a click at the point does. */
  readonly steady: boolean;
  /** How many of an action's pixels one CSS pixel is: more than 1 where the agent's pictures are larger than the page. */
  readonly scale: number;
  /** What is typed into it is secret. */
  readonly secret: boolean;
  /** It is dragged by the page itself (HTML's drag and drop). */
  readonly draggable: boolean;
  /** What opens a list, a calendar or a dialog of the browser's own, which no picture shows. */
  readonly asks:
    | { readonly kind: 'select'; readonly options: readonly ListOption[]; readonly multiple: boolean }
    /** `type`: of the input, such as `date`. */
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

/** A message of the page's console, an uncaught error of the page, a dialog, or a request that failed. */
export interface PageMessage {
  readonly kind: 'log' | 'info' | 'warning' | 'error' | 'exception' | 'dialog' | 'request';
  readonly text: string;
  /** `file:line` or address it came from. */
  readonly location?: string;
}

/** Facts about a step that are not observation; every key may be absent. All of it is JSON. */
export interface StepInfo {
  readonly acted?: readonly Acted[];
  readonly messages?: readonly PageMessage[];
  readonly url?: string;
  readonly title?: string;
  /** Size of the viewport in CSS pixels. */
  readonly viewport?: { readonly width: number; readonly height: number };
  /** Milliseconds spent: acting, waiting for the page to settle, taking the picture, reading the text. */
  readonly timing?: {
    readonly action: number;
    readonly settle: number;
    readonly picture: number;
    readonly text: number;
  };
  /** The response that was stored by this step. */
  readonly response?: string;
  /** What the step's commands wrote, and how they ended. */
  readonly outputs?: readonly {
    readonly command: string;
    readonly output: string;
    /** Null where a signal ended it. */
    readonly exit_code: number | null;
    /** Its time was over. */
    readonly timed_out?: true;
    readonly duration_ms: number;
  }[];
  /** Files that are not as they were when the task began; of them the panel shows the difference. */
  readonly changes?: readonly {
    /** Relative to the folder, with `/`. */
    readonly path: string;
    readonly kind: 'added' | 'changed' | 'removed';
    /** Names of its text as it was and as it is, of `StepResult.contents`; absent for what is no text, or too large. */
    readonly before?: string;
    readonly after?: string;
  }[];
  /** The windows of a desktop, the topmost first. */
  readonly windows?: readonly {
    readonly title: string;
    /** The program's class, such as `XTerm`. */
    readonly app: string;
    readonly active: boolean;
    /** In pixels of the screen. */
    readonly box: Box;
  }[];
  /** The environment's own state, where it was asked for (`openenv`). */
  readonly state?: Json;
  /** The sum of the environment's rewards so far (`openenv`). */
  readonly total_reward?: number;
  /** What a benchmark says of its task, by its own names; BrowserGym's `task_info`. */
  readonly task_info?: Readonly<Record<string, Json>>;
}

/** The answer to reset and step. */
export interface StepResult {
  readonly observation: Observation;
  /** The environment's own reward, where it has one. */
  readonly reward: number | null;
  readonly terminated: boolean;
  readonly info: StepInfo;
  /** An action that failed: said to the agent, the run goes on. */
  readonly error: { readonly message: string; readonly code: string } | null;
  /** What was typed into password fields, and what they hold since. For masking; never recorded. */
  readonly secrets?: readonly string[];
  /** Texts that `info.changes` names and no earlier step has given, by their names. Recorded in files of their own. */
  readonly contents?: Readonly<Record<string, Uint8Array>>;
  /** What the step is judged by when it is judged again. Recorded beside the trace; no agent sees it. */
  readonly recorded?: RecordedState;
}

/** The answer to reset. */
export interface StartResult extends StepResult {
  /** A prompt that the environment gives. */
  readonly goal: string | null;
  /** Maximum number of steps, unless the task or the user sets another. */
  readonly max_steps?: number;
  /** What may not be as the task means it, for the user. */
  readonly warning?: string;
}

/**
 * The files that a task may need: told of as a folder, or handed over where the server cannot see that folder.
 * `withheld`: what the run knows and no agent may get.
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
}

/** What an environment with rewards of its own had told when a snapshot was recorded. */
export interface RecordedEpisode {
  readonly observation: Json;
  readonly totalReward: number;
  /** Absent if it was not asked for. */
  readonly state?: Json | undefined;
}

/** A snapshot of a recorded run to restore. */
export interface RecordedSnapshot {
  /** A `RecordedPage` as JSON; null where there is none. */
  readonly page: Uint8Array | null;
  /** What pages refer to, by its hash. */
  readonly resources: Readonly<Record<string, Uint8Array>>;
  /** All until then. */
  readonly actions: readonly RecordedAction[];
  readonly response: string | null;
  /** Absent if observations are not data. */
  readonly episode?: RecordedEpisode | undefined;
  /** The changed files, whose texts are among the resources; absent where none are recorded. */
  readonly changes?: StepInfo['changes'] | undefined;
  /** Nothing may be left of the snapshot before, because a user-defined function ran in it. */
  readonly fresh: boolean;
}

/** Snapshots of recorded runs, and what to read of the page of each. */
export interface SnapshotBatch {
  readonly moments: readonly { readonly page: Uint8Array; readonly queries: readonly (FactQuery | null)[] }[];
  /** What pages refer to, by its hash. */
  readonly resources: Readonly<Record<string, Uint8Array>>;
  /** As of a `RecordedSnapshot`, for the first of them. */
  readonly fresh: boolean;
}

/** What was read of the page of one snapshot. */
export interface SnapshotFacts {
  /** One for each query, as `Fact` says. */
  readonly facts: readonly unknown[];
  /** What the recording does not hold, in words. */
  readonly gaps: readonly string[];
  /** Entries of the tab's history. */
  readonly history: number;
}

/** What an environment is given. The browser is asked for only by environments that need one. */
export interface EnvironmentTools {
  /** A connected browser; the same one for every environment of a process. */
  browser(): Promise<Browser>;
  log(text: string): void;
  /** The folder that holds the pages of MiniWoB++. Rejects with `EnvironmentError` `pages_missing` where there is none. */
  miniwob?(): Promise<string>;
  /** Why a page could not be opened, where it is because of where the environment runs. */
  whyUnreached?(url: string): Promise<string | null>;
}

/** Makes an environment; exported as `create` by `create.ts` of each kind. */
export type CreateEnvironment = (tools: EnvironmentTools) => Environment;

/** Addresses at which an environment can be viewed. */
export interface EnvironmentUrls {
  readonly url: string | null;
  readonly live_url: string | null;
}

/** One running thing that an agent acts in. Lives in a session's process; one task at a time. */
export interface Environment {
  /** Fresh state, the task's initial state, nothing of an earlier task. */
  reset(options: ResetOptions): Promise<StartResult>;
  /**
   * One answer of the agent. After the first failure the rest of the actions do not run. `screen`: the resolution that
   * their coordinates are meant for, where that is not the one of the pictures.
   */
  step(actions: readonly ActionInput[], screen?: Screen): Promise<StepResult>;
  /** The observation as it is now; used after setup calls. */
  observe(): Promise<StepResult>;
  /**
   * What is at a point of the viewport, in CSS pixels, or (null) has the focus; null where there is nothing to name.
   * Changes nothing. Absent: a manual run names points only.
   */
  pointed?(point: Point | null): Promise<Pointed | null>;
  /**
   * Restores a snapshot of a recorded run, for evaluate functions alone: until the next reset there is nothing to act in.
   * Resolves with what the recording does not hold, in words. Rejects with `EnvironmentError` `not_recorded` if the
   * snapshot cannot be restored. Absent: nothing of a run is recorded.
   */
  restore?(moment: RecordedSnapshot): Promise<readonly string[]>;
  /**
   * Reads pages of several snapshots at once. Null for one that must be restored by itself. None of them is
   * restored afterwards.
   */
  readEach?(moments: SnapshotBatch): Promise<readonly (SnapshotFacts | null)[]>;
  /** Rejects with an `EnvironmentError` where what it runs crashes; never resolves. Of a call under way that is the answer. */
  readonly broken?: Promise<never>;
  /**
   * Why what the agent left behind cannot be judged, in words for its reward of 0; null where it can. Asked when an evaluate
   * call has reached its time limit: without it, every such call is an error.
   */
  whyStuck?(): Promise<string | null>;
  /** What built-in and user-defined functions work with. Absent: the environment carries calls out itself, with `call`. */
  functionContext?(): FunctionContext;
  /**
   * Carries out a setup or evaluate call, where every name is the environment's own: in a custom environment, a function
   * of its controller. Work that is in progress when the signal is aborted is ended. `response`: replaces the agent's.
   */
  call?(
    call: Call,
    phase: Phase,
    options: { readonly response?: string; readonly signal: AbortSignal },
  ): Promise<CallResult>;
  /** What commands of setup and evaluate calls have written since this was last asked. */
  outputs?(): NonNullable<StepInfo['outputs']>;
  /** The addresses at which the environment can be viewed: HUD's `get_urls`. */
  urls?(): Promise<EnvironmentUrls> | EnvironmentUrls;
  /** Starts the live view: `frame` is called for every changed picture until the returned function is called. */
  live?(frame: (picture: Picture) => void): Promise<() => Promise<void>>;
  /** As `close`, but what another task may use without feeling anything of this one can stay for its `reset`. */
  rest?(): Promise<void>;
  close(): Promise<void>;
  /** What the end of its browser means. */
  browserGone?(): EnvironmentError;
}

/** Something that ends a session and not merely an action: a crashed page, a crashed browser. */
export class EnvironmentError extends Error {
  /** `start_failed`: what the task begins with cannot be brought about. */
  readonly code:
    | 'page_crashed'
    /** A page that the agent went to, not one of the task. */
    | 'visited_page_crashed'
    | 'browser_crashed'
    | 'browser_missing'
    | 'browser_failed'
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
    | 'version_mismatch';
  constructor(code: EnvironmentError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EnvironmentError';
    this.code = code;
  }
}
