import type { Json } from '../tasks/task.ts';
import type { Point } from './action.ts';

/**
 * What one action acts on. `ref` is the agent's own word for an element: the id of an element in the last
 * observation, else a selector (decided when the action is executed). A point is in CSS pixels of the viewport.
 */
export type Target = { readonly ref: string } | { readonly point: Point };

export type MouseButton = 'left' | 'right' | 'middle' | 'back' | 'forward';

/**
 * One action in the form that an environment executes: every spelling (CLA object, action string, the RFC's short
 * form) ends in one of these. Keys have Playwright's names (`Control`, `Enter`, `a`), or the
 * DOM's where it has none (`F13`).
 */
export type NormalAction =
  /** `target` null: where the mouse is. `delays`: milliseconds before each further click, so `[0]` is a double click. */
  | {
      readonly type: 'click';
      readonly target: Target | null;
      readonly button: MouseButton;
      readonly delays: readonly number[];
      readonly hold: readonly string[];
    }
  /** Moves the mouse: onto an element's middle, to a point, or by an offset from where it is. */
  | { readonly type: 'move'; readonly target: Target | null; readonly offset: Point | null }
  | { readonly type: 'mouse'; readonly state: 'down' | 'up'; readonly point: Point; readonly button: MouseButton }
  /** Turns the wheel by `x`, `y` pixels (down and right are positive), at the target or where the mouse is. */
  | {
      readonly type: 'scroll';
      readonly target: Target | null;
      readonly x: number;
      readonly y: number;
      readonly hold: readonly string[];
    }
  /** Presses at the first target, moves along the others, releases at the last. `delays`: milliseconds before each move. */
  | {
      readonly type: 'drag';
      readonly path: readonly Target[];
      readonly delays: readonly number[];
      readonly hold: readonly string[];
    }
  /** Types key by key where the focus is; `enter`: then presses Enter. */
  | { readonly type: 'type'; readonly text: string; readonly enter: boolean }
  /** Inserts the text at once where the focus is, with an `input` event only. */
  | { readonly type: 'insert'; readonly text: string }
  /** Replaces a field's value. `menu`: type the last characters, so that a menu of suggestions opens. */
  | { readonly type: 'fill'; readonly target: Target; readonly text: string; readonly menu: boolean }
  /** Presses a combination: all keys down in their order, up in reverse. `target`: focused before. */
  | { readonly type: 'press'; readonly target: Target | null; readonly keys: readonly string[] }
  | { readonly type: 'key'; readonly state: 'down' | 'up'; readonly keys: readonly string[] }
  | { readonly type: 'select'; readonly target: Target; readonly options: readonly string[] }
  | { readonly type: 'check'; readonly target: Target; readonly checked: boolean }
  | { readonly type: 'focus'; readonly target: Target }
  | { readonly type: 'upload'; readonly target: Target; readonly files: readonly string[] }
  | { readonly type: 'goto'; readonly url: string }
  | { readonly type: 'history'; readonly delta: -1 | 1 }
  | { readonly type: 'tab'; readonly do: 'new' | 'close' }
  | { readonly type: 'tab'; readonly do: 'focus'; readonly index: number }
  | { readonly type: 'wait'; readonly ms: number }
  /** What the agent answers; also BrowserGym's `send_msg_to_user`. */
  | { readonly type: 'response'; readonly text: string }
  /** The agent says that the task cannot be done. */
  | { readonly type: 'infeasible'; readonly reason: string }
  /** A command line in the folder of the task, ended after `timeout` seconds. */
  | { readonly type: 'run'; readonly command: string; readonly timeout: number }
  /** Paths are relative to the folder of the task. */
  | { readonly type: 'read_file'; readonly path: string }
  | { readonly type: 'write_file'; readonly path: string; readonly text: string }
  /** A unified diff of one or several files. */
  | { readonly type: 'apply_patch'; readonly diff: string }
  | { readonly type: 'screenshot' }
  | { readonly type: 'position' }
  | { readonly type: 'custom'; readonly action: string; readonly args: { readonly [key: string]: Json } | null };

export type NormalActionType = NormalAction['type'];

export type ActionFailureCode =
  /** A string in which no call was found. */
  | 'empty_action'
  /** A function or a CLA type that does not exist (in this environment). */
  | 'unknown_action'
  /** A call whose arguments do not fit, or a CLA object with a wrong field. */
  | 'invalid_action';

/** Why an action cannot be executed; worded for the agent, which gets to see it. */
export interface ActionFailure {
  readonly code: ActionFailureCode;
  readonly message: string;
}

/**
 * What one answer of an agent comes to: the actions to execute in their order and, where one could not be read,
 * the failure that stands after them. (An unknown function fails the whole string: then there are no actions.)
 */
export interface NormalisedActions {
  readonly actions: readonly NormalAction[];
  readonly failure: ActionFailure | null;
}

/**
 * How action strings are read.
 * - `own`: BrowserGym's functions and ours; a string without a call is tried as the RFC's short form.
 * - `browsergym`: BrowserGym's functions only, or those of `functions` (a named action set).
 */
export interface ActionDialect {
  readonly dialect: 'own' | 'browsergym';
  readonly functions?: ReadonlySet<string>;
}
