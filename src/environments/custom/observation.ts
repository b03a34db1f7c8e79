import type { Json } from '../../tasks/task.ts';
import type { Observation, Picture } from '../environment.ts';
import { asJson } from './invocation.ts';

/** What a controller's `step` answered: HUD 0.2's `{observation: {screenshot, text}, info}`. Anything else is text. */
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

/** A base64 text as a picture, PNG or JPEG, with or without the head of a data address; undefined where it is none. */
export function readPicture(base64: string): Picture | undefined {
  const data = Buffer.from(base64.replace(/^data:image\/\w+;base64,/, ''), 'base64');
  if (data.length > 24 && data.readUInt32BE(0) === 0x89504e47) {
    return { type: 'png', data, width: data.readUInt32BE(16), height: data.readUInt32BE(20) };
  }
  const size = jpegSize(data);
  return size === null ? undefined : { type: 'jpg', data, ...size };
}

/** From the first frame header (SOF) of a JPEG file (ISO/IEC 10918-1, B.2.2). */
function jpegSize(data: Buffer): { width: number; height: number } | null {
  if (data.length < 4 || data.readUInt16BE(0) !== 0xffd8) return null;
  let at = 2;
  while (at + 9 < data.length && data[at] === 0xff) {
    const marker = data[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: data.readUInt16BE(at + 5), width: data.readUInt16BE(at + 7) };
    at += 2 + data.readUInt16BE(at + 2);
  }
  return null;
}

function isRow(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
