import type { KindView } from '../../environments/kind-view.ts';
import type { ManualGesture } from '../../runs/agents/manual/manual-input.ts';
import type { Json } from '../../tasks/task.ts';

export type { HeldKey, ManualGesture } from '../../runs/agents/manual/manual-input.ts';

/**
 * Everything the run panel and the extension say to each other. The page imports types from here and nothing else;
 * what comes from the page is parsed with the schemas of `incoming.ts` before use.
 */

/** A place in a page, in CSS pixels. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

export type PanelStatus = 'starting' | 'running' | 'completed' | 'error' | 'cancelled' | 'interrupted';

export interface PanelCall {
  readonly function: string;
  /** `page_contains("Order placed")` */
  readonly text: string;
  /** One-based line in the task file, or null where the call is not in it any more. */
  readonly line: number | null;
}

export interface PanelActed {
  readonly action: string;
  readonly point?: { readonly x: number; readonly y: number };
  readonly box?: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
  readonly element?: string;
  readonly bid?: string;
  readonly scroll?: { readonly x: number; readonly y: number };
  /** Drags: the way, in CSS pixels, start first. */
  readonly path?: readonly { readonly x: number; readonly y: number }[];
  readonly text?: string;
  readonly ignored?: string;
}

export interface PanelStep {
  readonly index: number;
  readonly source: 'setup' | 'agent' | 'tool' | 'subagent' | 'evaluate' | 'system';
  readonly durationMs: number;
  /** Printed action or call, for the list: verb `click`, object `“Apply”`. */
  readonly verb: string;
  readonly object: string;
  readonly call: PanelCall | null;
  /** Evaluate: the call's value. Agent: the environment's own reward. */
  readonly value: number | null;
  readonly reason: string | null;
  readonly error: string | null;
  readonly terminated: boolean;
  readonly acted: readonly PanelActed[];
  readonly messages: readonly { readonly kind: string; readonly text: string; readonly location?: string }[];
  readonly url: string | null;
  readonly title: string | null;
  readonly viewport: { readonly width: number; readonly height: number } | null;
  /** The windows of a desktop, the topmost first; absent where there is none. */
  readonly windows?: readonly {
    readonly title: string;
    readonly app: string;
    readonly active: boolean;
    readonly box: { readonly width: number; readonly height: number };
  }[];
  readonly timing: {
    readonly action: number;
    readonly settle: number;
    readonly picture: number;
    readonly text: number;
  } | null;
  /** What the step's commands wrote, and how they ended; `exitCode` null where a signal ended it. */
  readonly outputs: readonly {
    readonly command: string;
    readonly output: string;
    readonly exitCode: number | null;
    readonly timedOut: boolean;
    readonly durationMs: number;
  }[];
  /** Files that are not as they were when the task began; null where the step does not tell. `readable`: as a difference. */
  readonly changes:
    | readonly { readonly path: string; readonly kind: 'added' | 'changed' | 'removed'; readonly readable: boolean }[]
    | null;
  /** What an evaluate call's value is made of: the tests of a report. */
  readonly parts: readonly { readonly name: string; readonly value: number; readonly reason: string }[];
  /** Address that the page may load, or null; `TooLarge` for a picture that is not to be loaded. */
  readonly screenshot: string | null;
  readonly hasText: boolean;
}

/** In place of the address of a picture that is too large to show. */
export type TooLarge = 'data:,too-large';

export interface PanelVerdict {
  readonly reward: number | null;
  readonly success: boolean;
  readonly truncated: boolean;
  readonly error: { readonly message: string; readonly code: string; readonly line: number | null } | null;
  readonly subscores: readonly {
    readonly call: PanelCall;
    readonly value: number | null;
    readonly weight: number;
    readonly reason: string;
    /** Index of the evaluate step. */
    readonly step: number | null;
  }[];
}

/** A run as the page needs it to draw itself from nothing. */
export interface PanelRun {
  readonly runId: string;
  /** Where the run is recorded, or null before it is; the page keeps it, so that a reload finds the run again. */
  readonly traceDir: string | null;
  readonly task: string;
  readonly prompt: string;
  /** File name, for the title's tooltip. */
  readonly file: string;
  readonly environment: string;
  readonly view: KindView;
  readonly placement: string;
  readonly agent: string;
  readonly seed: number;
  readonly status: PanelStatus;
  readonly startedAt: string;
  readonly durationMs: number | null;
  readonly steps: readonly PanelStep[];
  readonly verdict: PanelVerdict | null;
  readonly pinned: boolean;
  /** It has ended and is recorded, so it can be judged after each of its steps. */
  readonly rescorable: boolean;
  /** The person is the agent. */
  readonly manual: boolean;
}

/** What a run was worth after each step, by its task as it is now. */
export interface PanelCurve {
  readonly calls: readonly { readonly text: string }[];
  /** `values`: of each call; null where it cannot be decided from the recording. */
  readonly points: readonly {
    readonly index: number;
    readonly reward: number | null;
    readonly values: readonly (number | null)[];
  }[];
  /** Why there is nothing to draw. */
  readonly problem: string | null;
}

export type HostMessage =
  /** `select`: the step to show; null follows the newest. `live`: frames will come. */
  | { readonly type: 'run'; readonly run: PanelRun; readonly select: number | null; readonly live: boolean }
  | { readonly type: 'phase'; readonly text: string }
  | { readonly type: 'doing'; readonly text: string }
  | { readonly type: 'step'; readonly step: PanelStep }
  | { readonly type: 'frame'; readonly width: number; readonly height: number; readonly data: ArrayBuffer }
  | { readonly type: 'ended'; readonly run: PanelRun }
  | { readonly type: 'select'; readonly index: number }
  /** What the person has typed for the page and is not on its way to it. */
  | { readonly type: 'typing'; readonly text: string }
  | { readonly type: 'pinned'; readonly pinned: boolean }
  /** Answer to `text`: observation text of a step and of the step before it. */
  | { readonly type: 'text'; readonly index: number; readonly text: string | null; readonly before: string | null }
  /** Answer to `curve`; null: the person has thought better of it. */
  | { readonly type: 'curve'; readonly runId: string; readonly curve: PanelCurve | null }
  /** Answer to `raw`. */
  | { readonly type: 'raw'; readonly index: number; readonly json: Json }
  /** The run cannot be shown: why, and what to do. */
  | { readonly type: 'failed'; readonly message: string };

/** What the page says; the extension parses it before use. */
export type PanelMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'selected'; readonly index: number | null }
  | { readonly type: 'text'; readonly index: number }
  | { readonly type: 'raw'; readonly index: number }
  /** Show how a file differs, after this step, from what it was when the task began. */
  | { readonly type: 'openChange'; readonly index: number; readonly path: string }
  /** Show this step's call in the task file. */
  | { readonly type: 'reveal'; readonly index: number }
  /** Show this one-based line of the task file: for a run error or a call that belongs to no step. */
  | { readonly type: 'revealLine'; readonly line: number }
  | { readonly type: 'rerun' }
  | { readonly type: 'cancel' }
  | { readonly type: 'pin'; readonly pinned: boolean }
  | { readonly type: 'openTrace' }
  /** Judge the recorded run after each of its steps. */
  | { readonly type: 'curve' }
  /** The person did something in the live picture. */
  | { readonly type: 'hand'; readonly input: ManualGesture }
  /** The person who acts by hand wants to answer, to write an action, or is done. */
  | { readonly type: 'answer' }
  | { readonly type: 'act' }
  | { readonly type: 'done' }
  /** What the agent of this run did is to be the task's solution. */
  | { readonly type: 'saveSolution' }
  /** The page is showing live frames (hidden pages ask for none). */
  | { readonly type: 'live'; readonly on: boolean }
  /** The last frame is drawn: the next one may come. Until then frames are dropped, the newest is kept. */
  | { readonly type: 'drawn' };

/** What the page keeps through a reload of the window. */
export interface PanelState {
  readonly traceDir: string;
  readonly select: number | null;
  readonly tab: string;
  readonly picture: string;
}
