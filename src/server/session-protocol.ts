import * as z from 'zod';
import { jsonSchema } from '../base/json-validator.ts';
import { toErrorCode } from '../environments/faults.ts';

/** Request of a session process: why a page could not be opened, if the server knows. */
export const unreachedRequest = {
  method: 'unreached',
  params: z.object({ url: z.string() }),
  result: z.object({ why: z.string().nullable() }),
} as const;

/** Request of a session process: the folder of the MiniWoB++ pages, or the places that were searched. */
export const miniwobRequest = {
  method: 'miniwob',
  result: z.union([z.object({ folder: z.string() }), z.object({ tried: z.array(z.string()) })]),
} as const;

/** Response of a session process to `session.close`: whether it can take another task. */
export const closedSchema = z.object({ reusable: z.boolean() });

export const pictureSchema = z.object({
  type: z.enum(['png', 'jpg']),
  data: z.instanceof(Uint8Array),
  width: z.number(),
  height: z.number(),
});

export const functionSchemas = z.record(z.string(), z.record(z.string(), z.unknown()));

/** Events of a session process. */
export const sessionEventSchema = z.discriminatedUnion('event', [
  /** The process can take a task. */
  z.object({ event: z.literal('ready') }),
  z.object({ event: z.literal('frame'), picture: pictureSchema }),
  z.object({
    event: z.literal('log'),
    level: z.enum(['error', 'warning', 'info', 'debug']),
    text: z.string(),
  }),
  /** User-defined functions were loaded: JSON Schemas of the arguments of those that declare them. */
  z.object({ event: z.literal('functions'), schemas: functionSchemas }),
  /** A Debug Adapter Protocol message of debugpy; null when it has ended. */
  z.object({ event: z.literal('python'), message: jsonSchema }),
  /** It has started its browser. `sandboxed`: whether the browser uses its sandbox. */
  z.object({
    event: z.literal('browser'),
    pid: z.number().int().min(1),
    name: z.string(),
    sandboxed: z.boolean(),
  }),
  /** Its browser has ended. */
  z.object({ event: z.literal('browser.ended'), pid: z.number().int().min(1) }),
  /** The environment has failed; the process waits to be ended. */
  z.object({ event: z.literal('broken'), code: z.string().transform(toErrorCode), message: z.string() }),
]);
export type SessionEvent = z.infer<typeof sessionEventSchema>;
/** Events that the server forwards to its owner. */
export type PassedEvent = Extract<SessionEvent, { event: 'frame' | 'log' | 'functions' | 'python' }>;

/** Checks that the main thread responds. Sent while a request without a time limit is pending. */
export const PING = 'ping';
