import * as z from 'zod';
import { actionInputSchema, pointSchema, screenSchema } from '../actions/action.ts';
import type { Picture, Pointed, StartResult, StepInfo, StepResult } from '../environments/environment.ts';
import type { ErrorCode } from '../environments/faults.ts';
import { KINDS } from '../environments/kinds.ts';
import { ROLES } from '../environments/known-file.ts';
import { recordedActionSchema } from '../environments/recorded.ts';
import type { VerdictPart } from '../functions/declaration.ts';
import { pageLinkSchema } from '../functions/page/questions.ts';
import { callSchema, type Json, jsonSchema, taskSchema } from '../tasks/task.ts';

/**
 * The control channel: what the Runner's side asks of an environment server over the server's standard streams.
 * Both sides speak it in frames (`frames.ts`): a JSON header and the binary parts that it refers to.
 */
export const PROTOCOL_VERSION = 2;

const bytes: z.ZodType<Uint8Array> = z.instanceof(Uint8Array);
const sessionId = z.string().min(1).max(64);
/** One connection of the tunnel, numbered by the server. */
const connection = z.number().int().min(0);
export const portSchema = z.number().int().min(1).max(65_535);

export const taskFilesSchema = z.union([
  z.object({
    folder: z.string(),
    withheld: z.array(z.object({ path: z.string().min(1), role: z.enum(ROLES) })).optional(),
  }),
  z.object({ contents: z.record(z.string(), bytes) }),
]);

/** Parameters of each request, by method. */
export const requestSchemas = {
  /** `secret`: comes with everything that the server says from its answer on. */
  hello: z.object({ version: z.number().int(), secret: z.string().min(16) }),
  'session.open': z.object({}),
  /** Takes the session to the start of the task: environment, initial state; setup calls are asked for one by one. */
  'session.reset': z.object({ session: sessionId, task: taskSchema, files: taskFilesSchema, seed: z.number().int() }),
  /** `screen`: the resolution that the agent's coordinates are meant for, where that is not the environment's. */
  'session.step': z.object({
    session: sessionId,
    actions: z.array(actionInputSchema),
    screen: screenSchema.optional(),
  }),
  /** What stands at a point of the viewport, or (null) has the focus, for a person who acts by hand. */
  'session.pointed': z.object({ session: sessionId, point: pointSchema.nullable() }),
  /**
   * Opens the session's process to a debugger of JavaScript, on its own loopback: from here on no call has a time limit,
   * and a person's functions are called from the place of their call in `file`, a name in the task's folder.
   */
  'session.inspect': z.object({ session: sessionId, file: z.string().min(1) }),
  /**
   * Opens the session's Python to a debugger, for this function, as `session.inspect` does the process. What the debugger
   * says follows as `python` events.
   */
  'session.debugPython': z.object({ session: sessionId, file: z.string().min(1), function: z.string() }),
  /** Passes a message of the Debug Adapter Protocol on to the debugger in Python. */
  'session.toPython': z.object({ session: sessionId, message: jsonSchema }),
  /** `pause`: a debugger of JavaScript stops on the first line of the person's function. */
  'session.setup': z.object({
    session: sessionId,
    call: callSchema,
    limit_ms: z.number().positive(),
    pause: z.boolean().optional(),
  }),
  /** `response`: what a debugger put in place of the agent's. */
  'session.evaluate': z.object({
    session: sessionId,
    call: callSchema,
    limit_ms: z.number().positive(),
    pause: z.boolean().optional(),
    response: z.string().optional(),
  }),
  /** What a page answers to something that changes nothing of it, such as `page.locator('h1').textContent()`. */
  'session.look': z.object({ session: sessionId, links: z.array(pageLinkSchema).min(1).max(20) }),
  'session.urls': z.object({ session: sessionId }),
  'session.live': z.object({ session: sessionId, on: z.boolean() }),
  'session.close': z.object({ session: sessionId }),
  /**
   * Stands at a moment of a recorded run instead of a task's start: for evaluate calls, until it is reset. `page` null and
   * `kind` `qa`: what was done and answered alone. `files`: for the person's functions.
   */
  'session.restore': z.object({
    session: sessionId,
    kind: z.enum(KINDS.map(({ name }) => name)),
    files: taskFilesSchema,
    page: bytes.nullable(),
    /** What the page refers to and the session was not given before. */
    resources: z.record(z.string(), bytes),
    actions: z.array(recordedActionSchema),
    response: z.string().nullable(),
  }),
  /**
   * Judges several moments of recorded runs by calls of functions that change nothing and need the page at most for what
   * their `reads` tells. As `session.restore`, but nobody stands at any of them afterwards. `limit_ms`: for all of them.
   */
  'session.judge': z.object({
    session: sessionId,
    kind: z.enum(KINDS.map(({ name }) => name)),
    files: taskFilesSchema,
    resources: z.record(z.string(), bytes),
    moments: z.array(
      z.object({
        page: bytes.nullable(),
        actions: z.array(recordedActionSchema),
        response: z.string().nullable(),
        calls: z.array(callSchema),
      }),
    ),
    limit_ms: z.number().positive(),
  }),
  /**
   * What the server's pages reach: with `bridge` these ports of the server's loopback lead to the owner's. Whoever
   * connects to one is told of with `tunnel.connected`; the owner connects on its side and both pass on what they read.
   */
  'tunnel.open': z.object({ network: z.enum(['none', 'bridge']), ports: z.array(portSchema).max(256) }),
  /** What the owner's side of a connection said. Answered when it is taken, so that no more waits than there is room. */
  'tunnel.write': z.object({ connection, data: bytes }),
  /** Of what the server passed on, this much is taken: as much more may follow. */
  'tunnel.taken': z.object({ connection, bytes: z.number().int().min(0) }),
  /** The owner's side says no more; it may still be told something. */
  'tunnel.end': z.object({ connection }),
  /** The owner's side is gone; `reason` where it could not be reached or broke. */
  'tunnel.close': z.object({ connection, reason: z.string().nullable() }),
} as const;

/** Bytes of one connection that may be on their way in one direction. */
export const TUNNEL_WINDOW = 1024 * 1024;

export type Method = keyof typeof requestSchemas;
export type Params<M extends Method> = z.infer<(typeof requestSchemas)[M]>;

/** How one setup or evaluate call went: a value with its reason, or what was wrong with the call. */
export type CallOutcome =
  | {
      readonly value: number | null;
      readonly reason: string;
      /** What the value is made of. */
      readonly parts?: readonly VerdictPart[];
      /** What the agent made could not be judged, so the value is 0. */
      readonly blame?: 'agent';
      /** What the call's commands wrote. */
      readonly outputs?: NonNullable<StepInfo['outputs']>;
      readonly duration_ms: number;
      readonly step: StepResult | null;
    }
  | {
      readonly error: { readonly message: string; readonly code: CallErrorCode; readonly stack?: string };
      readonly outputs?: NonNullable<StepInfo['outputs']>;
      readonly duration_ms: number;
    };

/** How the calls of one recorded moment went; see `session.restore` for `gaps`. */
export interface JudgedMoment {
  readonly gaps: readonly string[];
  readonly outcomes: readonly CallOutcome[];
}

export type CallErrorCode =
  | 'unknown_function'
  | 'invalid_arguments'
  | 'call_threw'
  | 'call_returned_nothing'
  | 'call_out_of_range'
  | 'not_recorded'
  | 'call_timeout'
  | 'out_of_memory'
  | 'session_died'
  | 'page_crashed'
  | 'visited_page_crashed'
  | 'browser_crashed'
  | 'desktop_crashed';

export interface Results {
  hello: { readonly version: number; readonly server: string };
  'session.open': { readonly session: string };
  /** `folder`: where the task's files are for the server, as it stands in what a person's functions say. */
  'session.reset': StartResult & { readonly folder: string };
  'session.step': StepResult;
  'session.pointed': { readonly pointed: Pointed | null };
  'session.inspect': { readonly port: number };
  /**
   * `file`: the function's, in the task's folder; `line`: of its first statement, from 1; `program`: path of what is ours in
   * Python.
   */
  'session.debugPython': { readonly file: string; readonly line: number; readonly program: string };
  'session.toPython': Record<string, never>;
  'session.setup': CallOutcome;
  'session.evaluate': CallOutcome;
  'session.look': { readonly answer: Json };
  'session.urls': { readonly url: string | null; readonly live_url: string | null };
  'session.live': Record<string, never>;
  /** `gaps`: what the recording does not hold, in words. */
  'session.restore': { readonly gaps: readonly string[] };
  /** Null: to be restored and asked by itself. */
  'session.judge': { readonly judged: readonly (JudgedMoment | null)[] };
  'session.close': Record<string, never>;
  /** Ports that could not be listened on, and why. */
  'tunnel.open': { readonly failed: readonly { readonly port: number; readonly message: string }[] };
  'tunnel.write': Record<string, never>;
  'tunnel.taken': Record<string, never>;
  'tunnel.end': Record<string, never>;
  'tunnel.close': Record<string, never>;
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
  /** What the debugger in Python says, as the Debug Adapter Protocol has it; null: it is there no more. */
  | { readonly event: 'python'; readonly session: string; readonly message: Json }
  | { readonly event: 'session.ended'; readonly session: string; readonly code: ErrorCode; readonly message: string }
  | TunnelEvent;

/** What happens to the connections of the tunnel, on the server's side. */
export type TunnelEvent =
  | { readonly event: 'tunnel.connected'; readonly connection: number; readonly port: number }
  | { readonly event: 'tunnel.data'; readonly connection: number; readonly data: Uint8Array }
  /** It says no more; it may still be told something. */
  | { readonly event: 'tunnel.ended'; readonly connection: number }
  | { readonly event: 'tunnel.closed'; readonly connection: number; readonly broken: boolean };

/** A request that could not be answered. `code` is stable, `message` tells the person what to do next. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly stack?: string;
}

export type RequestFrame = { readonly id: number; readonly method: string; readonly params: unknown };
export type ReplyFrame =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: Failure };
