import type { JsonObject } from '../base/json.ts';
import type { ActionInput, Point } from './action.ts';
import { CLA_KEYS, keyName } from './keys.ts';
import type { NormalAction, Target } from './normal.ts';
import { normaliseAction } from './normalise.ts';

/**
 * Converts an agent's action to CLA objects (HUD 0.2). An element becomes the point that was acted on; an action
 * without a CLA equivalent becomes a custom action with the action string.
 * @param points what each single action acted on, as far as it is recorded
 */
export function toCla(input: ActionInput, points: readonly { readonly point?: Point }[]): readonly JsonObject[] {
  if (typeof input !== 'string') return [input as JsonObject];
  const { actions, failure } = normaliseAction(input);
  const objects = actions.map((action, index) => claOf(action, points[index]?.point));
  if (failure !== null || objects.length === 0 || objects.includes(null)) return [{ type: 'custom', action: input }];
  // The string states the intent, the object only the outcome.
  return objects.flatMap((object) => (object === null ? [] : [{ ...object, logs: input }]));
}

function claOf(action: NormalAction, recordedPoint: Point | undefined): JsonObject | null {
  switch (action.type) {
    case 'click': {
      const point = pointOf(action.target, recordedPoint);
      const hold = claKeys(action.hold);
      if (point === undefined || hold === null) return null;
      const { button, delays } = action;
      return { type: 'click', point, button, ...some('pattern', delays), ...some('hold_keys', hold) };
    }
    case 'scroll': {
      const point = pointOf(action.target, recordedPoint);
      const hold = claKeys(action.hold);
      if (point === undefined || hold === null) return null;
      return { type: 'scroll', point, scroll: whole(action), ...some('hold_keys', hold) };
    }
    case 'type':
      return { type: 'type', text: action.text, enter_after: action.enter };
    case 'press': {
      const keys = action.target === null ? claKeys(action.keys) : null;
      return keys === null ? null : { type: 'press', keys: [...keys] };
    }
    case 'key': {
      const keys = claKeys(action.keys);
      return keys === null ? null : { type: action.state === 'down' ? 'keydown' : 'keyup', keys: [...keys] };
    }
    case 'wait':
      return { type: 'wait', time: Math.round(action.ms) };
    case 'response':
      return { type: 'response', text: action.text };
    case 'screenshot':
    case 'position':
      return { type: action.type };
    default:
      return null;
  }
}

/** Undefined for an element whose point is not recorded. */
function pointOf(target: Target | null, recordedPoint: Point | undefined): Point | null | undefined {
  if (target === null) return null;
  const point = 'point' in target ? target.point : recordedPoint;
  return point && whole(point);
}

function whole({ x, y }: Point): Point {
  return { x: Math.round(x), y: Math.round(y) };
}

function some(name: string, values: readonly (string | number)[]): JsonObject {
  return values.length === 0 ? {} : { [name]: values };
}

const NAMES = new Map(CLA_KEYS.toReversed().map((name) => [keyName(name), name]));

/** Null if CLA has no name for one of the keys. */
function claKeys(keys: readonly string[]): readonly string[] | null {
  // CLA has no uppercase: with Shift, a letter is one.
  const names = keys.map(
    (key) => NAMES.get(key) ?? (keys.includes('Shift') ? NAMES.get(key.toLowerCase()) : undefined),
  );
  return names.every((name) => name !== undefined) ? names : null;
}
