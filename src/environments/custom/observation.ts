import { isObject, type JsonObject } from '../../base/json.ts';
import { readPicture } from '../base64-picture.ts';
import type { Observation } from '../environment.ts';
import { asJson } from './invocation.ts';

/**
 * Reads the answer of a controller's `step`: HUD 0.2's `{observation: {screenshot, text}, info}`. Anything else is
 * text.
 */
export function readReply(reply: unknown): {
  readonly observation: Observation;
  readonly info: JsonObject;
} {
  if (isObject(reply) && isObject(reply['observation'])) {
    const { screenshot, text } = reply['observation'];
    const info = asJson(reply['info']);
    const picture = typeof screenshot === 'string' && screenshot !== '' ? readPicture(screenshot) : null;
    if (picture !== undefined) {
      return {
        observation: { text: typeof text === 'string' ? text : null, screenshot: picture },
        info: isObject(info) ? (info as JsonObject) : {},
      };
    }
  }
  if (reply === null || reply === undefined) return { observation: { text: null, screenshot: null }, info: {} };
  const text = typeof reply === 'string' ? reply : JSON.stringify(reply, null, 2);
  return { observation: { text, screenshot: null }, info: {} };
}
