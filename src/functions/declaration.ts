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
export interface Verdict {
  /** 0 to 1. */
  readonly value: number;
  readonly reason: string;
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
  /** Null if the file does not exist. */
  read(path: string): Promise<Uint8Array | null>;
  /** Creates missing parent folders. */
  write(path: string, content: string | Uint8Array): Promise<void>;
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

/** What an environment with rewards of its own has told of the task so far. */
export interface Episode {
  /** The last observation. */
  readonly observation: Json;
  /** The sum of the rewards of all actions. */
  readonly totalReward: number;
  /** The state as it is now. Rejects with `NotRecorded` if it is that of a recorded run and was not recorded. */
  state(): Promise<Json>;
}

/** A file that has changed since the task began. */
export interface FileChange {
  /** Relative to the folder, with `/`. */
  readonly path: string;
  readonly kind: 'added' | 'changed' | 'removed';
  /** Null if it did not exist. */
  readonly before: Uint8Array | null;
  /** Null if it no longer exists. */
  readonly after: Uint8Array | null;
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
  /** Set if the page is restored from a recording. */
  readonly recording?: {
    /** The number of entries in the tab's history. */
    readonly history: number;
    /**
     * Globals of the page's scripts, whose values are not recorded, that were read since the last call of this method.
     */
    lacking(): Promise<readonly string[]>;
  };
  /** The answer to the call's `reads`, if it is already known. There may be no page in this case. */
  readonly fact?: unknown;
  /** Milliseconds that one element action may take. */
  readonly actionTimeout: number;
}

/** The declaration of a built-in function, which validation, the tree, and completion read too. */
export interface FunctionDeclaration<Args extends z.ZodType<readonly unknown[]> = z.ZodType<readonly unknown[]>> {
  readonly name: string;
  /** Other names of the function in HUD's samples. */
  readonly aliases?: readonly string[];
  readonly phase: Phase;
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
  /**
   * For an evaluate function that only reads this from the page (`factOf`): what it reads, so that several calls can run together.
   */
  reads?(...args: z.infer<Args>): FactQuery;
  /** For an evaluate function about the elements that actions acted on: the selector to match. */
  actedOn?(...args: z.infer<Args>): string;
  // biome-ignore lint/suspicious/noConfusingVoidType: a setup function returns nothing
  run(context: FunctionContext, ...args: z.infer<Args>): Promise<Verdict | void>;
}
