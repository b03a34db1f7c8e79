import type { JsonObject } from '../base/json.ts';
import type { Point } from './action.ts';

/**
 * The target of an action. `ref` is the agent's name for an element: the id of an element in the last observation, else
 * a selector (decided when the action is executed). A point is in CSS pixels of the viewport.
 */
export type Target = { readonly ref: string } | { readonly point: Point };

export type MouseButton = 'left' | 'right' | 'middle' | 'back' | 'forward';

/**
 * An action in the form that an environment executes. Every spelling (CLA object, action string, the RFC's short form)
 * is converted to one of these. Keys have Playwright's names (`Control`, `Enter`, `a`), or the DOM's if Playwright has
 * none (`F13`).
 */
export type NormalAction =
  /**
   * `target` null: at the mouse position. `delays`: milliseconds before each further click, so `[0]` is a double click.
   */
  | {
      readonly type: 'click';
      readonly target: Target | null;
      readonly button: MouseButton;
      readonly delays: readonly number[];
      readonly hold: readonly string[];
    }
  /** Moves the mouse: to the middle of an element, to a point, or by an offset. */
  | { readonly type: 'move'; readonly target: Target | null; readonly offset: Point | null }
  | { readonly type: 'mouse'; readonly state: 'down' | 'up'; readonly point: Point; readonly button: MouseButton }
  /** Scrolls by `x`, `y` pixels (positive values scroll right and down), at the target or at the mouse position. */
  | {
      readonly type: 'scroll';
      readonly target: Target | null;
      readonly x: number;
      readonly y: number;
      readonly hold: readonly string[];
    }
  /**
   * Presses at the first target, moves along the others, and releases at the last. `delays`: milliseconds before each
   * move.
   */
  | {
      readonly type: 'drag';
      readonly path: readonly Target[];
      readonly delays: readonly number[];
      readonly hold: readonly string[];
    }
  /** Types key by key at the focus; `enter`: then presses Enter. */
  | { readonly type: 'type'; readonly text: string; readonly enter: boolean }
  /** Inserts the text in one piece at the focus, with only an `input` event. */
  | { readonly type: 'insert'; readonly text: string }
  /** Replaces the value of a field. `menu`: types the last characters, so that an autocomplete menu opens. */
  | { readonly type: 'fill'; readonly target: Target; readonly text: string; readonly menu: boolean }
  /** Presses a combination: all keys down in order, up in reverse. `target`: focused first. */
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
  /** Answers the open dialog of a page. `text`: the answer to a prompt; null for the text that the prompt shows. */
  | { readonly type: 'handle_dialog'; readonly accept: boolean; readonly text: string | null }
  /** The agent's response; also BrowserGym's `send_msg_to_user`. */
  | { readonly type: 'response'; readonly text: string }
  /** The agent reports that the task cannot be completed. */
  | { readonly type: 'infeasible'; readonly reason: string }
  /** A command in the task's folder, with a time limit of `timeout` seconds. */
  | { readonly type: 'run'; readonly command: string; readonly timeout: number }
  /** Paths are relative to the task's folder. */
  | { readonly type: 'read_file'; readonly path: string }
  | { readonly type: 'write_file'; readonly path: string; readonly text: string }
  /** A unified diff of one or more files. */
  | { readonly type: 'apply_patch'; readonly diff: string }
  | { readonly type: 'screenshot' }
  | { readonly type: 'position' }
  | { readonly type: 'custom'; readonly action: string; readonly args: JsonObject | null }
  /** An action in the environment's own form. */
  | { readonly type: 'object'; readonly value: JsonObject };

export type ActionFailureCode =
  /** A string that contains no call. */
  | 'empty_action'
  /** An unknown function or CLA type (in this environment). */
  | 'unknown_action'
  /** A call with invalid arguments, or a CLA object with an invalid field. */
  | 'invalid_action';

/** Why an action cannot be executed. The agent reads the message. */
export interface ActionFailure {
  readonly code: ActionFailureCode;
  readonly message: string;
}

/**
 * The result of parsing one answer of an agent: the actions to execute in order, and the failure after them if one
 * could not be read. (An unknown function fails the whole string: then there are no actions.)
 */
export interface NormalisedActions {
  readonly actions: readonly NormalAction[];
  readonly failure: ActionFailure | null;
}

/**
 * How actions are parsed.
 * - `own`: BrowserGym's functions and Taskwright's; a string without a call is tried as the RFC's short form.
 * - `browsergym`: BrowserGym's functions only, or those of `functions` (a named action set).
 * - `object`: objects in the environment's own form, except for CLA's `response`. A string can only respond or report
 *   that the task is infeasible.
 * - `mixed`: what `own` reads, and objects in the environment's own form, such as calls of its tools.
 */
export interface ActionDialect {
  readonly dialect: 'own' | 'browsergym' | 'object' | 'mixed';
  readonly functions?: ReadonlySet<string>;
}

/** Whether actions are calls of BrowserGym, which has its own function for an answer. */
export function takesBrowserGymCalls({ dialect }: ActionDialect): boolean {
  return dialect === 'browsergym';
}

/** Whether actions can be objects in the environment's own form. */
export function takesObjects({ dialect }: ActionDialect): boolean {
  return dialect === 'object' || dialect === 'mixed';
}
