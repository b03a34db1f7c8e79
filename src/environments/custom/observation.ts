import { isObject, type Json, type JsonObject, objectOf } from '../../base/json.ts';
import { jsonSchema } from '../../base/json-validator.ts';
import { readPicture } from '../base64-picture.ts';
import type { Observation } from '../environment.ts';

/**
 * Reads the answer of a controller's `step`: HUD 0.2's `{observation: {screenshot, text}, info}`. Anything else is
 * text.
 */
export function readReply(reply: Json): { readonly observation: Observation; readonly info: JsonObject } {
  if (isObject(reply) && isObject(reply['observation'])) {
    const { screenshot, text } = reply['observation'];
    const picture = typeof screenshot === 'string' && screenshot !== '' ? readPicture(screenshot) : null;
    if (picture !== undefined) {
      return {
        observation: { text: typeof text === 'string' ? text : null, screenshot: picture },
        // Not if it contains NaN or infinities.
        info: objectOf(jsonSchema.safeParse(reply['info']).data),
      };
    }
  }
  const text = typeof reply === 'string' || reply === null ? reply : JSON.stringify(reply, null, 2);
  return { observation: { text, screenshot: null }, info: {} };
}
