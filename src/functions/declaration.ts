import type { Page } from 'playwright-core';
import type * as z from 'zod';
import type { ActionInput } from '../actions/action.ts';
import type { NormalAction } from '../actions/normal.ts';
import type { Json } from '../base/json.ts';
import type { FactQuery } from './fact-query.ts';

export type Phase = 'setup' | 'evaluate';

/**
 * What a function can need of an environment: a page, a folder with files and commands, the changes in that folder since the
 * task began, desktop windows, the observations of an episode. The descriptors of the environment kinds list what each provides.
 */
export type Need = 'page' | 'files' | 'changes' | 'windows' | 'episode';

/** The result of an evaluate call, with its reason: what was expected, what was found, the nearest match. */
export interface Verdict extends Omit<VerdictPart, 'name'> {
  /** The parts that the value is computed from, such as the tests of a report. */
  readonly parts?: readonly VerdictPart[];
}

/** One of several results that a verdict is computed from. */
export interface VerdictPart {
  readonly name: string;
  /** 0 to 1. */
  readonly value: number;
  readonly reason: string;
}

/** Why a call returned no value. Each of them sets the run's status to `error`. */
export type CallFailureCode =
  | 'unknown_function'
  | 'invalid_arguments'
  | 'call_threw'
  | 'call_returned_nothing'
  | 'call_out_of_range'
  | 'not_recorded'
  | 'out_of_memory';

/** The result of a call. For a setup call, the value is null and the reason is often empty. */
export type CallResult =
  | {
      readonly value: number | null;
      readonly reason: string;
      readonly parts?: readonly VerdictPart[];
      /** The agent's output could not be evaluated, so the value is 0. */
      readonly blame?: 'agent';
    }
  | { readonly error: { readonly message: string; readonly code: CallFailureCode; readonly stack?: string } };

/** How a command ended. */
export interface CommandResult {
  /** Standard output and standard error, in the order of arrival. */
  readonly output: string;
  /** The output was longer than the limit, so its middle is left out. */
  readonly truncated: boolean;
  /** Null if a signal terminated it. */
  readonly exitCode: number | null;
  /** It was terminated because it exceeded its time limit. */
  readonly timedOut: boolean;
}

/**
 * The folder that an agent works in, and commands in it. Paths are relative to the folder and must not lead out of it.
 */
export interface Workspace {
  /** Absolute. */
  readonly folder: string;
  /**
   * Null if the file does not exist. A file of more than `mostBytes` is an error; without a limit, one of more than 10 MB is the
   * agent's fault.
   */
  read(path: string, mostBytes?: number): Promise<Uint8Array | null>;
  /** Creates missing parent folders. */
  write(path: string, content: string | Uint8Array): Promise<void>;
  /**
   * The paths of the files at a path, sorted: the file itself, all files in a folder, or those that match a pattern
   * (`**\/reports/*.xml`). Links, and files in `node_modules`, are left out in folders and patterns.
   */
  files(path: string): Promise<readonly string[]>;
  /** Removes files. */
  remove(...paths: readonly string[]): Promise<void>;
  /**
   * Runs a command line. Its process group is terminated after the timeout in ms. `keep` is the number of bytes of
   * output to keep.
   */
  run(command: string, options: { readonly timeout: number; readonly keep?: number }): Promise<CommandResult>;
  /** The files that have changed since the task began. Not available for desktops, which do not track changes. */
  changes?(): Promise<readonly FileChange[]>;
}

/** A window of a desktop. */
export interface DesktopWindow {
  readonly title: string;
  /** The program's class, such as `XTerm`. */
  readonly app: string;
  readonly active: boolean;
  /** In pixels of the screen. */
  readonly box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
}

/** A desktop with windows, as functions can use it. */
export interface Desktop {
  /** The topmost first. */
  windows(): Promise<readonly DesktopWindow[]>;
  /** The text in the clipboard, or null. */
  clipboard(): Promise<string | null>;
  /**
   * Starts a program, given as a command line or a list of its arguments, and waits for its window, for a limited time.
   * Rejects if the program exits with an error before that.
   */
  launch(command: string | readonly string[]): Promise<void>;
  /** Runs a program with its arguments in the home folder until it exits. */
  run(args: readonly string[], options: { readonly timeout: number }): Promise<CommandResult>;
  /**
   * Opens a URL in the browser, a folder in the file manager, or a file in the editor. Paths are relative to the home
   * folder.
   */
  open(what: string): Promise<void>;
  /** Waits for a window with the text in its title, for a limited time, and activates it. */
  activate(title: string): Promise<void>;
  /** Copies a file from the task's folder to a path relative to the home folder. */
  copyIn(file: string, path: string): Promise<void>;
}

/** What an environment with its own rewards has reported about the task so far. */
export interface Episode {
  /** The last observation. */
  readonly observation: Json;
  /** The sum of the rewards of all actions. */
  readonly totalReward: number;
  /** The state as it is now. Rejects with `NotRecorded` if it is that of a recorded run and was not recorded. */
  state(): Promise<Json>;
}

/** Git's mode of an entry: an ordinary file, an executable file, or a link, whose content is its target. */
export type FileMode = '100644' | '100755' | '120000';

/** A file or a link that has changed since the task began. */
export interface FileChange {
  /** Relative to the folder, with `/`. */
  readonly path: string;
  readonly kind: 'added' | 'changed' | 'removed';
  /** Null if it did not exist. */
  readonly before: Uint8Array | null;
  /** Null if it no longer exists. */
  readonly after: Uint8Array | null;
  /** Absent if it did not exist. Older recordings have no modes. */
  readonly beforeMode?: FileMode;
  /** Absent if it no longer exists. */
  readonly afterMode?: FileMode;
}

/** A file that a page has downloaded. */
export interface DownloadedFile {
  /** As the page suggests it. */
  readonly name: string;
  readonly state: 'started' | 'completed' | 'failed';
  /** In bytes; null if it is not complete. */
  readonly size: number | null;
  /** The bytes of a complete one. Throws `NotRecorded` if it is that of a recorded run and was not recorded. */
  content(): AsyncIterable<Uint8Array>;
}

/** An action of the agent, as evaluate functions can see it. */
export interface ActionRecord {
  /** As the agent gave it. */
  readonly input: ActionInput;
  /**
   * The normalized form, which is the same for all spellings; null if it cannot be parsed. A string of three calls
   * makes three records.
   */
  readonly normalised: NormalAction | null;
  readonly error: string | null;
  /**
   * Whether the selector matches the target element, as it was right before the action. Rejects with `NotRecorded` if
   * this is not known.
   */
  matches(selector: string): Promise<boolean>;
  /** The value of the element after a typing action; null otherwise. */
  readonly typed: string | null;
}

/** What to open: a URL, a page file next to the task, or inline HTML. */
export type OpenTarget = { readonly url: string } | { readonly html: string };

/** The context of setup and evaluate functions: the state of the environment, never the agent. */
export interface FunctionContext {
  /** The active page, in environments that have one. */
  readonly page?: Page | undefined;
  /** The folder of environments with files and commands (`coding`, `desktop`). */
  readonly workspace?: Workspace;
  /** The desktop of environments with windows (`desktop`). */
  readonly desktop?: Desktop;
  /** Where observations are data and actions have rewards (`openenv`). */
  readonly episode?: Episode;
  /** The text of the response that counts, or null if the agent gave none. */
  readonly response: string | null;
  readonly actions: readonly ActionRecord[];
  /** Opens a target in environments with a page. */
  open?(target: OpenTarget): Promise<void>;
  /** The files that pages have downloaded, in environments with a page. */
  downloads?(): Promise<readonly DownloadedFile[]>;
  /** Set if the page is restored from a recording. */
  readonly recording?: {
    /** The number of entries in the tab's history. */
    readonly history: number;
    /**
     * Globals of the page's scripts, whose values are not recorded, that were read since the last call of this method.
     */
    lacking(): Promise<readonly string[]>;
  };
  /** The answer to the call's `pageFact`, if it is already known. There may be no page in this case. */
  readonly fact?: unknown;
  /** Milliseconds that one element action may take. */
  readonly actionTimeout: number;
}

/** What an evaluate function judges. */
export type Subject =
  | 'response'
  /** What the agent did, and the elements that it acted on. */
  | 'actions'
  /** The text and the elements of the active page. */
  | 'page'
  | 'url'
  | 'cookies'
  /** The history of the tab. */
  | 'history'
  /** The files, also as a command finds them. */
  | 'files'
  /** What differs from the files at the beginning. */
  | 'changes'
  | 'downloads'
  | 'windows'
  | 'clipboard'
  /** The last observation of an episode, the state of its environment, the sum of its rewards. */
  | 'observation'
  | 'state'
  | 'rewards';

/** An example of what gives a call the value 1. */
export type Expectation =
  | {
      readonly kind: 'response';
      /** A response with the value 1. */
      readonly text: string;
      /** The texts that the call asks for, as an answer key has them; empty if it asks for something else, such as a pattern. */
      readonly answers: readonly string[];
    }
  /** An action with the value 1 if it is the last. */
  | { readonly kind: 'action'; readonly action: ActionInput };

/** Why the value of a call does not depend on the agent. */
export interface Triviality {
  /**
   * `always`: the value is 1 for every response, or regardless of what the agent does if the function does not read the response.
   * `never`: the value is below 1 for all of them.
   */
  readonly succeeds: 'always' | 'never';
  /** The index of the argument that causes it. */
  readonly argument: number;
  /** A clause without a period: `there is no text to search for`. */
  readonly reason: string;
}

interface BaseDeclaration<Args extends z.ZodType<readonly unknown[]>> {
  readonly name: string;
  /** Other names of the function in HUD's samples. */
  readonly aliases?: readonly string[];
  /** What it needs of the environment. If empty, it works in every environment. */
  readonly needs: readonly Need[];
  readonly args: Args;
  /** Names of the arguments in their order; `?` marks an optional one: `['selector', 'index?']`. */
  readonly parameters: readonly string[];
  /** A function of HUD that this version does not run: validation reports it, and Run refuses the task. */
  readonly notRun?: true;
  /** The time limit in ms that the arguments set for its work, or 0. The time limit of the call is longer. */
  readonly workMs?: (args: readonly unknown[]) => number;
  /** One sentence for hover and documentation. */
  readonly doc: string;
}

/** A setup function. */
export interface SetupDeclaration<Args extends z.ZodType<readonly unknown[]> = z.ZodType<readonly unknown[]>>
  extends BaseDeclaration<Args> {
  readonly phase: 'setup';
  /** The remote browser of HUD 0.2 has this function too. */
  readonly inRemoteBrowser?: true;
  run(context: FunctionContext, ...args: z.infer<Args>): Promise<void>;
}

/** An evaluate function. All of its methods but `run` depend on the arguments alone. */
export interface EvaluateDeclaration<Args extends z.ZodType<readonly unknown[]> = z.ZodType<readonly unknown[]>>
  extends BaseDeclaration<Args> {
  readonly phase: 'evaluate';
  /** What it judges: nothing else changes its value. */
  readonly reads: readonly Subject[];
  /** The function that checks the same in the response, in environments without what this one needs. */
  readonly ofResponse?: string;
  /** An example of what gives it the value 1; null if none is known. */
  expected?(...args: z.infer<Args>): Expectation | null;
  /** Whether these arguments make the value independent of the agent; null if they do not, as far as is known. */
  trivial?(...args: z.infer<Args>): Triviality | null;
  /** Whether the first argument is a text in place of a list, so that it searches for each character, as HUD does. */
  searchesCharacters?(...args: z.infer<Args>): boolean;
  /** If it reads nothing but this from the page (`factOf`): what it reads, so that several calls can run together. */
  pageFact?(...args: z.infer<Args>): FactQuery;
  /** If it judges the elements that actions acted on: the selector to match. */
  actedOn?(...args: z.infer<Args>): string;
  run(context: FunctionContext, ...args: z.infer<Args>): Promise<Verdict>;
}

/** The declaration of a built-in function: all that is known of it, for runs, validation, the tree, and completion. */
export type FunctionDeclaration<Args extends z.ZodType<readonly unknown[]> = z.ZodType<readonly unknown[]>> =
  | SetupDeclaration<Args>
  | EvaluateDeclaration<Args>;
