import * as z from 'zod';
import { type Json, objectOf } from '../../base/json.ts';
import { pictureNote, readPicture } from '../base64-picture.ts';
import type { Observation, Picture } from '../environment.ts';
import type { ToolResult } from './reward.ts';

const block = z.record(z.string(), z.custom<Json>());
/** The answer to a call of a tool. */
export const resultSchema: z.ZodType<ToolResult> = z.looseObject({
  content: z.array(block).default([]),
  structuredContent: z.custom<Json>().optional(),
  isError: z.boolean().optional(),
});

/** The texts of a result and its last picture, which is a note in the data. */
export function observationOf({ content, structuredContent }: ToolResult): Observation {
  const texts: string[] = [];
  const blocks: Json[] = [];
  let screenshot: Picture | null = null;
  for (const one of content) {
    const { type, text, data, resource } = one;
    const picture = type === 'image' && typeof data === 'string' ? (readPicture(data) ?? null) : null;
    if (picture !== null) {
      screenshot = picture;
      const note = pictureNote(picture);
      texts.push(note);
      blocks.push({ ...one, data: note });
      continue;
    }
    if (type === 'text' && typeof text === 'string') texts.push(text);
    else texts.push(`(${noteOf(String(type), resource)})`);
    blocks.push(typeof data === 'string' ? { ...one, data: `(${data.length} characters of base64)` } : one);
  }
  return {
    text: texts.join('\n'),
    screenshot,
    data: { content: blocks, ...(structuredContent == null ? {} : { structuredContent }) },
  };
}

function noteOf(type: string, resource: Json | undefined): string {
  const { uri, text } = objectOf(resource);
  const where = typeof uri === 'string' ? ` ${uri}` : '';
  return typeof text === 'string' ? `${type}${where}: ${text}` : `${type}${where}`;
}
