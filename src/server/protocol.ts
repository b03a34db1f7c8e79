import * as z from 'zod';
import { actionInputSchema } from '../actions/action.ts';
import type { Picture, StepResult } from '../environments/environment.ts';
import { callSchema, taskSchema } from '../tasks/task.ts';

/**
 * The control channel: what the Runner's side asks of an environment server over the server's standard streams.
 * Both sides speak it in frames (`frames.ts`): a JSON header and the binary parts that it refers to.
 */
export const PROTOCOL_VERSION = 1;

const bytes = z.instanceof(Uint8Array);
const sessionId = z.string().min(1).max(64);

export const taskFilesSchema = z.union([
  z.object({ folder: z.string() }),
  z.object({ contents: z.record(z.string(), bytes) }),
]);

/** Parameters of each request, by method. */
export const requestSchemas = {
  hello: z.object({ version: z.number().int() }),
  'session.open': z.object({}),
  /** Takes the session to the start of the task: environment, initial state; setup calls are asked for one by one. */
  'session.reset': z.object({ session: sessionId, task: taskSchema, files: taskFilesSchema, seed: z.number().int() }),
  'session.step': z.object({ session: sessionId, actions: z.array(actionInputSchema) }),
  'session.setup': z.object({ session: sessionId, call: callSchema, limit_ms: z.number().positive() }),
  'session.evaluate': z.object({ session: sessionId, call: callSchema, limit_ms: z.number().positive() }),
  'session.urls': z.object({ session: sessionId }),
  'session.live': z.object({ session: sessionId, on: z.boolean() }),
  'session.close': z.object({ session: sessionId }),
} as const;

export type Method = keyof typeof requestSchemas;
export type Params<M extends Method> = z.infer<(typeof requestSchemas)[M]>;

/** How one setup or evaluate call went: a value with its reason, or what was wrong with the call. */
export type CallOutcome =
  | {
      readonly value: number | null;
      readonly reason: string;
      readonly duration_ms: number;
      readonly step: StepResult | null;
    }
  | {
      readonly error: { readonly message: string; readonly code: CallErrorCode; readonly stack?: string };
      readonly duration_ms: number;
    };

export type CallErrorCode =
  | 'unknown_function'
  | 'invalid_arguments'
  | 'call_threw'
  | 'call_returned_nothing'
  | 'call_out_of_range'
  | 'call_timeout'
  | 'out_of_memory'
  | 'session_died'
  | 'page_crashed'
  | 'browser_crashed';

export interface Results {
  hello: { readonly version: number; readonly server: string };
  'session.open': { readonly session: string };
  'session.reset': StepResult & { readonly goal: string | null };
  'session.step': StepResult;
  'session.setup': CallOutcome;
  'session.evaluate': CallOutcome;
  'session.urls': { readonly url: string | null; readonly live_url: string | null };
  'session.live': Record<string, never>;
  'session.close': Record<string, never>;
}

/** What the server says unasked. */
export type ServerEvent =
  | { readonly event: 'frame'; readonly session: string; readonly picture: Picture }
  | {
      readonly event: 'log';
      readonly session: string | null;
      readonly level: 'error' | 'warning' | 'info' | 'debug';
      readonly text: string;
    }
  | {
      /** A person's functions were loaded in the session: JSON Schema of the arguments of those that declare them. */
      readonly event: 'functions';
      readonly session: string;
      readonly schemas: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    }
  | { readonly event: 'session.ended'; readonly session: string; readonly code: string; readonly message: string };

/** A request that could not be answered. `code` is stable, `message` tells the person what to do next. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly stack?: string;
}

export type RequestFrame = { readonly id: number; readonly method: string; readonly params: unknown };
export type ReplyFrame =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: Failure };
