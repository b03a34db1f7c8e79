import { setTimeout as pause } from 'node:timers/promises';
import type { Point } from '../../actions/action.ts';
import type { NormalAction, Target } from '../../actions/normal.ts';
import { printAction } from '../../actions/print.ts';
import { CodedError } from '../../base/coded-error.ts';
import type { Acted } from '../environment.ts';
import { UnknownKey } from './keysyms.ts';
import { dragAlong } from './pointer.ts';
import type { UsedDesktop } from './used-desktop.ts';

/** The delay between pressing modifier keys and a click, in ms. Without it, programs miss the keys. */
const MODIFIER_DELAY = 18;

/** An action failed. The message is for the agent. */
export class DesktopActionError extends CodedError<'unknown_action' | 'unknown_key' | 'no_such_element'> {
  override readonly name = 'DesktopActionError';
}

/** The outcome of an action. */
export interface ActionOutcome {
  readonly acted: Acted;
  readonly response?: string;
  readonly terminated?: true;
  /** Whether it may have changed the screen. */
  readonly shows: boolean;
}

/** Executes an action, with coordinates in screen pixels. Throws `DesktopActionError` if it fails. */
export async function act(
  action: NormalAction,
  desktop: UsedDesktop,
  closeSignal: AbortSignal,
): Promise<ActionOutcome> {
  const { keyboard, pointer } = desktop;
  const actionText = printAction(action);
  try {
    switch (action.type) {
      case 'click': {
        const point = placeOf(action.target) ?? pointer.at;
        await holding(action.hold, desktop, async () => {
          await pointer.move(point);
          await pointer.click(action.button, action.delays, closeSignal);
        });
        return { acted: { action: actionText, point: pointer.at }, shows: true };
      }
      case 'move': {
        const from = placeOf(action.target) ?? pointer.at;
        await pointer.move({ x: from.x + (action.offset?.x ?? 0), y: from.y + (action.offset?.y ?? 0) });
        return { acted: { action: actionText, point: pointer.at }, shows: true };
      }
      case 'mouse':
        await pointer.move(action.point);
        await (action.state === 'down' ? pointer.press(action.button) : pointer.release(action.button));
        return { acted: { action: actionText, point: pointer.at }, shows: true };
      case 'scroll': {
        const point = placeOf(action.target);
        await holding(action.hold, desktop, async () => {
          if (point !== null) await pointer.move(point);
          await pointer.scroll(action.x, action.y);
        });
        return { acted: { action: actionText, point: pointer.at, scroll: { x: action.x, y: action.y } }, shows: true };
      }
      case 'drag': {
        const path = action.path.map((target) => placeOf(target) ?? pointer.at);
        await holding(action.hold, desktop, () => dragAlong(pointer, path, action.delays, closeSignal));
        return { acted: { action: actionText, ...(path[0] && { point: path[0] }), path }, shows: true };
      }
      case 'type':
      case 'insert':
        await keyboard.type(action.type === 'type' && action.enter ? `${action.text}\n` : action.text);
        return { acted: { action: actionText, text: action.text }, shows: true };
      case 'press':
        if (action.target !== null) throw noElements();
        await keyboard.hold(action.keys, async () => undefined);
        return { acted: { action: actionText }, shows: true };
      case 'key':
        await (action.state === 'down' ? keyboard.down(action.keys) : keyboard.up(action.keys));
        return { acted: { action: actionText }, shows: true };
      case 'wait':
        await pause(action.ms, undefined, { signal: closeSignal });
        return { acted: { action: actionText }, shows: false };
      case 'response':
        return { acted: { action: actionText }, response: action.text, shows: false };
      case 'infeasible':
        return { acted: { action: actionText }, terminated: true, shows: false };
      case 'screenshot':
        return { acted: { action: actionText }, shows: false };
      case 'position':
        return { acted: { action: actionText, point: pointer.at }, shows: false };
      default:
        throw new DesktopActionError(
          'unknown_action',
          `\`${actionText}\` is nothing that a desktop can do; there are the mouse (mouse_click, mouse_drag_and_drop, scroll_at), the keyboard (keyboard_type, keyboard_press), noop and response`,
        );
    }
  } catch (error) {
    if (error instanceof UnknownKey) throw new DesktopActionError('unknown_key', error.message);
    throw error;
  }
}

/** Runs a function while keys are held down, after programs have received them. */
function holding(keys: readonly string[], { keyboard }: UsedDesktop, work: () => Promise<void>): Promise<void> {
  if (keys.length === 0) return work();
  return keyboard.hold(keys, async () => {
    await pause(MODIFIER_DELAY);
    await work();
    await pause(MODIFIER_DELAY);
  });
}

function placeOf(target: Target | null): Point | null {
  if (target === null) return null;
  if ('ref' in target) throw noElements();
  return target.point;
}

function noElements(): DesktopActionError {
  return new DesktopActionError(
    'no_such_element',
    'a desktop has no elements to name; give a point of the picture, as in mouse_click(100, 200)',
  );
}
