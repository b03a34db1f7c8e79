import type { Json } from '../../tasks/task.ts';
import { readPicture } from '../base64-picture.ts';
import type { Observation } from '../environment.ts';
import { asJson } from './invocation.ts';

/**
 * Reads the answer of a controller's `step`: HUD 0.2's `{observation: {screenshot, text}, info}`. Anything else is
 * text.
 */
export function readReply(reply: unknown): {
  readonly observation: Observation;
  readonly info: Readonly<Record<string, Json>>;
} {
  if (isRow(reply) && isRow(reply['observation'])) {
    const { screenshot, text } = reply['observation'];
    const info = asJson(reply['info']);
    const picture = typeof screenshot === 'string' && screenshot !== '' ? readPicture(screenshot) : null;
    if (picture !== undefined) {
      return {
        observation: { text: typeof text === 'string' ? text : null, screenshot: picture },
        info: isRow(info) ? (info as Readonly<Record<string, Json>>) : {},
      };
    }
  }
  if (reply === null || reply === undefined) return { observation: { text: null, screenshot: null }, info: {} };
  const text = typeof reply === 'string' ? reply : JSON.stringify(reply, null, 2);
  return { observation: { text, screenshot: null }, info: {} };
}

function isRow(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
