import * as z from 'zod';
import { actionInputSchema, pointSchema, screenSchema } from '../actions/action.ts';
import { jsonSchema } from '../base/json-validator.ts';
import type { RecordedEpisode, StepInfo, StepResult } from '../environments/environment.ts';
import type { ErrorCode } from '../environments/faults.ts';
import { KINDS } from '../environments/kinds.ts';
import { ROLES } from '../environments/known-file.ts';
import { downloadSchema, fileChangeSchema, recordedActionSchema } from '../environments/recorded.ts';
import type { VerdictPart } from '../functions/declaration.ts';
import { pageLinkSchema } from '../functions/page/page-link.ts';
import { callSchema, taskSchema } from '../tasks/task.ts';

/**
 * The protocol of the control channel, over the standard streams of an environment server. Messages are frames
 * (`frames.ts`): a JSON header and binary parts.
 */
export const PROTOCOL_VERSION = 2;

const bytes: z.ZodType<Uint8Array> = z.instanceof(Uint8Array);
const sessionId = z.string().min(1).max(64);
/** A connection through the tunnel, numbered by the server. */
const connection = z.number().int().min(0);
export const portSchema = z.number().int().min(1).max(65_535);

export const taskFilesSchema = z.union([
  z.object({
    folder: z.string(),
    withheld: z.array(z.object({ path: z.string().min(1), role: z.enum(ROLES) })).optional(),
  }),
  z.object({ contents: z.record(z.string(), bytes) }),
]);

/** What the steps of a recorded run observed. */
const episodeSchema = z.object({
  observation: jsonSchema,
  totalReward: z.number(),
  state: jsonSchema.optional(),
}) satisfies z.ZodType<RecordedEpisode>;

/** Parameters of a setup or evaluate call. `pause`: a JavaScript debugger stops on the first line of the user-defined function. */
const callParams = z.object({
  session: sessionId,
  call: callSchema,
  limit_ms: z.number().positive(),
  pause: z.boolean().optional(),
});

/** What a session receives of recorded snapshots. */
const snapshotsShape = {
  session: sessionId,
  kind: z.enum(KINDS.map(({ name }) => name)),
  files: taskFilesSchema,
  /** Resources of the pages that the session has not received before. */
  resources: z.record(z.string(), bytes),
};
const snapshotShape = {
  page: bytes.nullable(),
  actions: z.array(recordedActionSchema),
  response: z.string().nullable(),
  episode: episodeSchema.optional(),
};

/** Parameters of each request, by method. */
export const requestSchemas = {
  /** `secret`: included in every message of the server from its response on. */
  hello: z.object({ version: z.number().int(), secret: z.string().min(16) }),
  'session.open': z.object({}),
  /** Provides the files of the task before the reset, for a debugger of the task's class, whose methods the reset calls. */
  'session.provideFiles': z.object({ session: sessionId, files: taskFilesSchema }),
  /** Resets the session to the start of the task. Setup calls are separate requests. */
  'session.reset': z.object({
    session: sessionId,
    task: taskSchema,
    files: taskFilesSchema,
    seed: z.number().int(),
    /** Where the server of the environment is, if it was started for the task. */
    address: z.url().optional(),
    /** Where the server of the task's verifier is, if one was started. */
    verifier: z.url().optional(),
    /** Results also have the HTML of the page. */
    html: z.literal(true).optional(),
    /** The values of the environment variables that the task refers to. */
    variables: z.record(z.string(), z.string()).optional(),
    /** A debugger may stop the user's functions. */
    debugged: z.literal(true).optional(),
    /** A debugger may stop the server of the environment, so its answers have no time limit. */
    unlimited: z.literal(true).optional(),
    /** The user's time limit in ms for code of the environment that starts the task. */
    limit_ms: z.number().positive().optional(),
  }),
  /** `screen`: the resolution of the coordinates, if it is not that of the environment. */
  'session.step': z.object({
    session: sessionId,
    actions: z.array(actionInputSchema),
    screen: screenSchema.optional(),
  }),
  /** Ends what the agent has left open: a dialog, or a download in progress. */
  'session.finish': z.object({ session: sessionId }),
  /** The element at a point of the viewport, or (null) the focused element, for manual runs. */
  'session.pointed': z.object({ session: sessionId, point: pointSchema.nullable() }),
  /**
   * Opens the process of the session to a JavaScript debugger on its loopback interface. From then on calls have no
   * time limit, and user-defined functions appear to be called from `file`, a name in the folder of the task. `folder`:
   * this folder, before the reset.
   */
  'session.inspect': z.object({ session: sessionId, file: z.string().min(1), folder: z.string().optional() }),
  /**
   * Opens the Python process of the session to debugpy, like `session.inspect`: for this function, or with null for the
   * class of the custom task. Messages of debugpy arrive as `python` events.
   */
  'session.debugPython': z.object({
    session: sessionId,
    file: z.string().min(1),
    folder: z.string().optional(),
    function: z.string().nullable(),
  }),
  /** Sends a Debug Adapter Protocol message to debugpy. */
  'session.toPython': z.object({ session: sessionId, message: jsonSchema }),
  'session.setup': callParams,
  /** `response`: replaces the response of the agent. */
  'session.evaluate': callParams.extend({ response: z.string().optional() }),
  /** Reads from the page without changing it, for example `page.locator('h1').textContent()`. */
  'session.query': z.object({ session: sessionId, links: z.array(pageLinkSchema).min(1).max(20) }),
  'session.urls': z.object({ session: sessionId }),
  'session.live': z.object({ session: sessionId, on: z.boolean() }),
  'session.close': z.object({ session: sessionId }),
  /**
   * Restores a snapshot of a recorded run, for evaluate calls. With `page` null and `kind` `qa`: actions and response
   * only. `files`: for user-defined functions.
   */
  'session.restore': z.object({
    ...snapshotsShape,
    ...snapshotShape,
    /** The changed files of a coding task. Their texts are resources. */
    changes: z.array(fileChangeSchema).optional(),
    /** The downloads so far. Their contents are resources. */
    downloads: z.array(downloadSchema).optional(),
  }),
  /**
   * Evaluates several snapshots with functions that change nothing and read from the page only what their `reads`
   * declares. None of the snapshots is restored afterwards. `limit_ms`: for all of them together.
   */
  'session.evaluateSnapshots': z.object({
    ...snapshotsShape,
    moments: z.array(z.object({ ...snapshotShape, calls: z.array(callSchema) })),
    limit_ms: z.number().positive(),
  }),
  /**
   * Configures the network of pages. With `bridge`, these ports on the loopback interface of the server lead to those
   * of the owner: the server announces connections with `tunnel.connected`, and the owner connects on its side.
   */
  'tunnel.open': z.object({ network: z.enum(['none', 'bridge']), ports: z.array(portSchema).max(256) }),
  /** Data from the owner. The response arrives when the data has been consumed, which limits the data in transit. */
  'tunnel.write': z.object({ connection, data: bytes }),
  /** Acknowledges data from the server, which may then send as much again. */
  'tunnel.taken': z.object({ connection, bytes: z.number().int().min(0) }),
  /** The owner has ended its direction of the connection. */
  'tunnel.end': z.object({ connection }),
  /** The connection on the side of the owner has closed; `reason` if it failed. */
  'tunnel.close': z.object({ connection, reason: z.string().nullable() }),
} as const;

/** Maximum number of bytes in transit in one direction of a connection. */
export const TUNNEL_WINDOW = 1024 * 1024;

export type Method = keyof typeof requestSchemas;
export type Params<M extends Method> = z.infer<(typeof requestSchemas)[M]>;

/** The outcome of a setup or evaluate call: a value with its reason, or an error. */
export type CallOutcome =
  | {
      readonly value: number | null;
      readonly reason: string;
      /** Components of the value. */
      readonly parts?: readonly VerdictPart[];
      /** What the agent produced could not be judged, so the value is 0. */
      readonly blame?: 'agent';
      /** Output of the commands of the call. */
      readonly outputs?: NonNullable<StepInfo['outputs']>;
      readonly duration_ms: number;
      readonly step: StepResult | null;
    }
  | {
      readonly error: { readonly message: string; readonly code: CallErrorCode; readonly stack?: string };
      readonly outputs?: NonNullable<StepInfo['outputs']>;
      readonly duration_ms: number;
    };

/** Errors of a call that leave its session usable. */
export const HARMLESS_CALL_ERRORS = [
  'unknown_function',
  'invalid_arguments',
  'call_threw',
  'call_returned_nothing',
  'call_out_of_range',
  'not_recorded',
] as const;
/** Errors of a call that end the session. */
export const CALL_ENDINGS = [
  'call_timeout',
  'out_of_memory',
  'session_died',
  'page_crashed',
  'visited_page_crashed',
  'browser_crashed',
  'desktop_crashed',
] as const;
export const CALL_ERRORS = [...HARMLESS_CALL_ERRORS, ...CALL_ENDINGS] as const;
export type CallErrorCode = (typeof CALL_ERRORS)[number];

/** A failed request. `code` is stable; `message` tells the user what to do. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly stack?: string;
}
