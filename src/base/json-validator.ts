import * as z from 'zod';
import type { Json } from './json.ts';

/** Accepts any JSON value. */
export const jsonSchema: z.ZodType<Json> = z.json() as z.ZodType<Json>;
