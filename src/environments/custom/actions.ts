import type { ActionInput, Screen } from '../../actions/action.ts';
import { claSchema } from '../../actions/cla.ts';
import type { ActionFailure, NormalAction } from '../../actions/normal.ts';
import { normaliseAction } from '../../actions/normalise.ts';
import { type ClaObject, toCla } from '../../actions/to-cla.ts';
import type { Json } from '../../base/json.ts';

/** An agent's answer in the form for a controller. */
export interface ForController {
  /** As HUD's models serialize them, with all fields, including defaults. */
  readonly objects: readonly ClaObject[];
  readonly actions: readonly { readonly input: ActionInput; readonly action: NormalAction }[];
  /** The first action that could not be parsed. The actions before it are executed. */
  readonly failure: (ActionFailure & { readonly input: ActionInput }) | null;
}

/**
 * An agent's actions as the CLA objects that a controller's `step` is called with (HUD 0.2.10). An action string that
 * CLA has no word for, such as a click on a selector, is a custom action that holds it.
 * @param scale how many pixels of the controller's picture one of the agent's is, along each side
 */
export function forController(inputs: readonly ActionInput[], scale: { x: number; y: number } | null): ForController {
  const objects: ClaObject[] = [];
  const actions: { input: ActionInput; action: NormalAction }[] = [];
  for (const input of inputs) {
    const read = normaliseAction(input);
    // A string without a failure is carried out as a whole: that it is cut half-way only the custom action can say.
    if (read.failure !== null) return { objects, actions, failure: { ...read.failure, input } };
    actions.push(...read.actions.map((action) => ({ input, action })));
    for (const object of toCla(input, [])) {
      const dumped = claSchema.parse(object) as ClaObject;
      objects.push(scale === null ? dumped : fitted(dumped, scale));
    }
  }
  return { objects, actions, failure: null };
}

/** How coordinates meant for `screen` are brought to a picture (HUD 0.2.10's `Adapter`). */
export function scaleTo(picture: Screen, screen: Screen): { x: number; y: number } {
  return { x: picture.width / screen.width, y: picture.height / screen.height };
}

/** Scales points, paths, and scroll distances, truncated to whole pixels. The offset of a move is unchanged. */
function fitted(object: ClaObject, { x, y }: { x: number; y: number }): ClaObject {
  const cut = (value: Json): Json => {
    const point = value as { x: number; y: number };
    return { x: Math.trunc(point.x * x) + 0, y: Math.trunc(point.y * y) + 0 };
  };
  return Object.fromEntries(
    Object.entries(object).map(([key, value]): [string, Json] => {
      if (value === null) return [key, value];
      if (key === 'point' || key === 'scroll') return [key, cut(value)];
      return key === 'path' ? [key, (value as readonly Json[]).map(cut)] : [key, value];
    }),
  );
}
