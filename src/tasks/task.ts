import * as z from 'zod';
import { jsonSchema } from '../base/json-validator.ts';

const position = z.object({ line: z.number().int().min(0), character: z.number().int().min(0) });
export const rangeSchema = z.object({ start: position, end: position });

/** A setup or evaluate call, in any of the four forms of `FunctionConfig` (hud-python 0.2.10). */
export const callSchema = z.object({
  function: z.string(),
  args: z.array(jsonSchema),
  id: z.string().nullish(),
  /** `weight` (> 0, default 1) affects the reward. */
  metadata: z.record(z.string(), jsonSchema).nullish(),
  /** How numbers in `args` are written (`NumberTexts`), for a controller in Python. */
  numbers: z.record(z.string(), z.string()).optional(),
  range: rangeSchema,
});
export type Call = z.infer<typeof callSchema>;

/** The generation of the task format that a row is written for. */
export const eraSchema = z.enum(['0.2', '0.4', '0.5', '0.6', 'rfc']);
export type Era = z.infer<typeof eraSchema>;

/** The requested environment: the `type`, and the other members of its object. */
export const environmentSpecSchema = z.object({ type: z.string() }).catchall(jsonSchema);
export type EnvironmentSpec = z.infer<typeof environmentSpecSchema>;

/** A cookie of the initial state, in the form that Playwright uses; `url` defaults to the start page. */
export const cookieSchema = z.object({
  name: z.string().min(1),
  value: z.string(),
  url: z.string().optional(),
  domain: z.string().optional(),
  path: z.string().optional(),
  expires: z.number().optional(),
  httpOnly: z.boolean().optional(),
  secure: z.boolean().optional(),
  sameSite: z.enum(['Strict', 'Lax', 'None']).optional(),
});
export type Cookie = z.infer<typeof cookieSchema>;

/** The state of the environment before the setup calls (RFC "Generic Task Support"). */
export const initialStateSchema = z.object({
  /** An address, or the path of a page file relative to the task file. */
  start_url: z.string().optional(),
  /** Inline HTML to show instead of an address. */
  html: z.string().optional(),
  cookies: z.array(cookieSchema).optional(),
  local_storage: z.record(z.string(), z.string()).optional(),
});
export type InitialState = z.infer<typeof initialStateSchema>;

/** What an agent should do, in the canonical form that all layers above this one use. */
export const taskSchema = z.object({
  /** Absolute path of its file. */
  file: z.string(),
  /** Zero-based index in the file. */
  index: z.number().int().min(0),
  id: z.string().nullable(),
  era: eraSchema,
  range: rangeSchema,
  name: z.string().nullable(),
  description: z.string().nullable(),
  /** Null or empty if the environment provides the goal. */
  prompt: z.string().nullable(),
  system_prompt: z.string().nullable(),
  env: environmentSpecSchema,
  tags: z.array(z.string()),
  initial_state: initialStateSchema,
  setup: z.array(callSchema),
  evaluate: z.array(callSchema),
  config: z.record(z.string(), jsonSchema).nullable(),
  sensitive_data: z.record(z.string(), z.record(z.string(), z.string())),
  metadata: z.record(z.string(), jsonSchema),
  max_steps: z.number().int().min(1).nullable(),
});
export type Task = z.infer<typeof taskSchema>;
