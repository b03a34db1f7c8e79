import * as z from 'zod';
import { toErrorCode } from '../environments/faults.ts';
import { jsonSchema } from '../tasks/task.ts';

/** What a session's process asks of the server: why a page could not be opened, where that is known here. */
export const unreachedRequest = {
  method: 'unreached',
  params: z.object({ url: z.string() }),
  result: z.object({ why: z.string().nullable() }),
} as const;

/** What a session's process asks of the server: where the pages of MiniWoB++ are, or what was looked for in vain. */
export const miniwobRequest = {
  method: 'miniwob',
  result: z.union([z.object({ folder: z.string() }), z.object({ tried: z.array(z.string()) })]),
} as const;

/** What a session's process answers to `session.close`: may it take another task? */
export const restedSchema = z.object({ reusable: z.boolean() });

const bytes = z.instanceof(Uint8Array);
export const pictureSchema = z.object({
  type: z.enum(['png', 'jpg']),
  data: bytes,
  width: z.number(),
  height: z.number(),
});

export const functionSchemas = z.record(z.string(), z.record(z.string(), z.unknown()));

/** What a session's process says unasked. */
export const sessionEventSchema = z.discriminatedUnion('event', [
  /** It can take a task. */
  z.object({ event: z.literal('ready') }),
  z.object({ event: z.literal('frame'), picture: pictureSchema }),
  z.object({
    event: z.literal('log'),
    level: z.enum(['error', 'warning', 'info', 'debug']),
    text: z.string(),
  }),
  /** A person's functions were loaded: JSON Schema of the arguments of those that declare them. */
  z.object({ event: z.literal('functions'), schemas: functionSchemas }),
  /** What a debugger in its Python says; null: it is there no more. */
  z.object({ event: z.literal('python'), message: jsonSchema }),
  /** It has started its browser, which is to be ended with it. `sandboxed`: whether the browser could use its sandbox. */
  z.object({
    event: z.literal('browser'),
    pid: z.number().int().min(1),
    name: z.string(),
    sandboxed: z.boolean(),
  }),
  /** Its browser has ended. */
  z.object({ event: z.literal('browser.ended'), pid: z.number().int().min(1) }),
  /** The environment cannot go on; the process waits to be ended. */
  z.object({ event: z.literal('broken'), code: z.string().transform(toErrorCode), message: z.string() }),
]);
export type SessionEvent = z.infer<typeof sessionEventSchema>;
/** Those that the server passes on to its owner. */
export type PassedEvent = Extract<SessionEvent, { event: 'frame' | 'log' | 'functions' | 'python' }>;

/** Is the process's main thread alive? Asked while a request without a time limit of its own is pending. */
export const PING = 'ping';

/** Said of the end of the browser, wherever it is noticed first. */
export const BROWSER_CRASHED = 'The browser has crashed or was closed. Run the task again: a new one is started.';
