import * as z from 'zod';
import type { Json } from './json.ts';
import { parseJson } from './parse-json.ts';

/** Accepts any JSON value. */
export const jsonSchema: z.ZodType<Json> = z.json() as z.ZodType<Json>;

/** The value of a text of JSON that matches a schema; null for any other text. */
export function parseAs<T>(schema: z.ZodType<T>, text: string): T | null {
  try {
    return schema.parse(parseJson(text));
  } catch {
    return null;
  }
}
