import type { ActionInput, Point, Screen } from '../../actions/action.ts';
import { claSchema } from '../../actions/cla.ts';
import type { ActionFailure, NormalAction } from '../../actions/normal.ts';
import { normaliseAction } from '../../actions/normalise.ts';
import { screenFitter } from '../../actions/rescale.ts';
import { toCla } from '../../actions/to-cla.ts';
import type { Json, JsonObject } from '../../base/json.ts';

/** An agent's answer in the form for a controller. */
export interface ForController {
  /** As HUD's models serialize them, with all fields, including defaults. */
  readonly objects: readonly JsonObject[];
  readonly actions: readonly { readonly input: ActionInput; readonly action: NormalAction }[];
  /** The first action that could not be parsed. The actions before it are executed. */
  readonly failure: (ActionFailure & { readonly input: ActionInput }) | null;
}

/**
 * Converts an agent's actions to the CLA objects that a controller's `step` is called with (HUD 0.2.10). An action string
 * without a CLA equivalent, such as a click on a selector, becomes a custom action with that string.
 * @param screen the size in pixels that the agent's coordinates refer to, if it differs from that of the picture
 * @param picture the size of the controller's picture; null without a picture
 */
export function forController(
  inputs: readonly ActionInput[],
  screen: Screen | undefined,
  picture: Screen | null,
): ForController {
  const objects: JsonObject[] = [];
  const actions: { input: ActionInput; action: NormalAction }[] = [];
  const fit = screen === undefined || picture === null ? null : screenFitter(screen, picture);
  for (const input of inputs) {
    const read = normaliseAction(input);
    // A controller cannot be told that only the first calls of a string are valid, so it gets none of them.
    if (read.failure !== null) return { objects, actions, failure: { ...read.failure, input } };
    actions.push(...read.actions.map((action) => ({ input, action })));
    for (const object of toCla(input, [])) {
      // With all fields, as HUD's models serialize it.
      const action = claSchema.parse(object) as JsonObject;
      objects.push(fit === null ? action : fitObject(action, fit));
    }
  }
  return { objects, actions, failure: null };
}

/** Converts points, paths, and scroll distances. The offset of a move is unchanged. */
function fitObject(object: JsonObject, fit: (point: Point) => Point): JsonObject {
  const fitValue = fit as unknown as (point: Json) => Json;
  return Object.fromEntries(
    Object.entries(object).map(([key, value]): [string, Json] => {
      if (value === null) return [key, value];
      if (key === 'point' || key === 'scroll') return [key, fitValue(value)];
      return key === 'path' ? [key, (value as readonly Json[]).map(fitValue)] : [key, value];
    }),
  );
}
