import type { Page } from 'playwright-core';
import type * as z from 'zod';
import type { ActionInput } from '../actions/action.ts';
import type { NormalAction } from '../actions/normal.ts';
import type { FactQuery } from './page/fact.ts';

export type Phase = 'setup' | 'evaluate';

/**
 * What a function can need of an environment: a page, a folder of files with commands, what changed in that folder since
 * the task began, the windows of a desktop. Which kinds of environments provide it, their descriptors say.
 */
export type Need = 'page' | 'files' | 'changes' | 'windows';

/** How far one evaluate call was satisfied, and why: what was expected, what was found, the nearest thing to it. */
export interface Verdict {
  /** 0 to 1. */
  readonly value: number;
  readonly reason: string;
  /** What the value is made of, where it is made of several: the tests of a report. */
  readonly parts?: readonly VerdictPart[];
}

/** One of several findings that a verdict is made of. */
export interface VerdictPart {
  readonly name: string;
  /** 0 to 1. */
  readonly value: number;
  readonly reason: string;
}

/** Why a call gave no value. All of them make the run's status `error`. */
export type CallFailureCode =
  | 'unknown_function'
  | 'invalid_arguments'
  | 'call_threw'
  | 'call_returned_nothing'
  | 'call_out_of_range'
  | 'not_recorded'
  | 'out_of_memory';

/** What a call came to. A setup call has the value null and what there is to say of it, often nothing. */
export type CallResult =
  | {
      readonly value: number | null;
      readonly reason: string;
      readonly parts?: readonly VerdictPart[];
      /** What the agent made could not be judged, so the value is 0. */
      readonly blame?: 'agent';
    }
  | { readonly error: { readonly message: string; readonly code: CallFailureCode; readonly stack?: string } };

/** How a command ended. */
export interface CommandResult {
  /** What it wrote on both of its streams, in the order in which it came. */
  readonly output: string;
  /** More was written than is kept: the middle is left out. */
  readonly truncated: boolean;
  /** Null where a signal ended it. */
  readonly exitCode: number | null;
  /** It was ended because its time was over. */
  readonly timedOut: boolean;
}

/** The folder that an agent works in, and what runs there. Paths are relative to it; one that leads out is refused. */
export interface Workspace {
  /** Absolute. */
  readonly folder: string;
  /** Null where there is no such file. */
  read(path: string): Promise<Uint8Array | null>;
  /** Makes the folders that the file needs. */
  write(path: string, content: string | Uint8Array): Promise<void>;
  /**
   * A command line as a person would type it; ended with its process group when the time, in ms, is over. `keep`: bytes
   * of its output that are kept.
   */
  run(command: string, options: { readonly timeout: number; readonly keep?: number }): Promise<CommandResult>;
  /** What is not as it was when the task began; absent where that is not known (`desktop`). */
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

/** A desktop with windows, as far as functions may work with it. */
export interface Desktop {
  /** The topmost first. */
  windows(): Promise<readonly DesktopWindow[]>;
  /** The text in the clipboard; null where there is none. */
  clipboard(): Promise<string | null>;
  /**
   * Starts a program, by its words or a command line, and waits until its window is there. Rejects with words where it
   * ends before that with an error. One that opens no window is waited for only a while.
   */
  launch(command: string | readonly string[]): Promise<void>;
  /** Runs a program with its arguments to its end, in the home. */
  run(words: readonly string[], options: { readonly timeout: number }): Promise<CommandResult>;
  /** Opens an address in the browser, a folder in the file manager or a file, relative to the home, in the editor. */
  open(what: string): Promise<void>;
  /** Brings the window to the front that has the text in its title; waits for it for a while. */
  activate(title: string): Promise<void>;
  /** Copies a file from beside the task to a path relative to the home. */
  copyIn(file: string, path: string): Promise<void>;
}

/** A file that is not as it was when the task began. */
export interface FileChange {
  /** Relative to the folder, with `/`. */
  readonly path: string;
  readonly kind: 'added' | 'changed' | 'removed';
  /** Null where it did not exist. */
  readonly before: Uint8Array | null;
  /** Null where it does not exist any more. */
  readonly after: Uint8Array | null;
}

/** One action that the agent took, as far as evaluate functions may ask about it. */
export interface ActionRecord {
  /** As the agent gave it. */
  readonly input: ActionInput;
  /** In the one form that all spellings are brought to; null where it could not be read. One record an action: a string of three calls makes three. */
  readonly normalised: NormalAction | null;
  readonly error: string | null;
  /**
   * Whether the selector matches the element acted on, as it was right before the action. Rejects with `NotRecorded` where
   * that cannot be told.
   */
  matches(selector: string): Promise<boolean>;
  /** The value the element held after a typing action; null otherwise. */
  readonly typed: string | null;
}

/** What to open: an address, a page file beside the task, or inline HTML. */
export type OpenTarget = { readonly url: string } | { readonly html: string };

/** What setup and evaluate functions get to see: the state on the environment's side, never the agent. */
export interface FunctionContext {
  /** The active page, in environments that have one. */
  readonly page?: Page | undefined;
  /** Where an agent works with files and commands (`coding`, `desktop`). */
  readonly workspace?: Workspace;
  /** Where an agent works with windows (`desktop`). */
  readonly desktop?: Desktop;
  /** The text of the response that counts, or null where the agent gave none. */
  readonly response: string | null;
  readonly actions: readonly ActionRecord[];
  /** Opens a target as the environment does it, where it has a page. */
  open?(target: OpenTarget): Promise<void>;
  /** Where the page is not the one that was acted in, but rebuilt from a recording. */
  readonly recording?: {
    /** Entries of the tab's history. */
    readonly history: number;
    /** Names of the page's own scripts that were asked for since this was last called: their values are not recorded. */
    lacking(): Promise<readonly string[]>;
  };
  /** What the call's `reads` asks of the page, where that is known already: there may be no page to ask then. */
  readonly fact?: unknown;
  /** Milliseconds that one element action may take. */
  readonly actionTimeout: number;
}

/** The one place where a built-in function is declared: validation, tree and completion read it too. */
export interface FunctionDeclaration<Args extends z.ZodType<readonly unknown[]> = z.ZodType<readonly unknown[]>> {
  readonly name: string;
  /** Other names that mean the same in HUD's samples. */
  readonly aliases?: readonly string[];
  readonly phase: Phase;
  /** All that it needs of the environment; it works in every environment if empty. */
  readonly needs: readonly Need[];
  readonly args: Args;
  /** Names of the arguments in their order; `?` marks an optional one: `['selector', 'index?']`. */
  readonly parameters: readonly string[];
  /** Known to HUD, not run by this version: validation says so, Run refuses. */
  readonly notRun?: true;
  /** Seconds that the command of a call may take; the call itself gets no less. */
  readonly commandSeconds?: (args: readonly unknown[]) => number;
  /** One sentence for hover and documentation. */
  readonly doc: string;
  /** Of a check that changes nothing and needs the page for this alone (`factOf`): it can be asked beside others. */
  reads?(...args: z.infer<Args>): FactQuery;
  /** Of a check of the elements that actions acted on: the selector that it asks of them. */
  actedOn?(...args: z.infer<Args>): string;
  // biome-ignore lint/suspicious/noConfusingVoidType: a setup function returns nothing
  run(context: FunctionContext, ...args: z.infer<Args>): Promise<Verdict | void>;
}
