import * as z from 'zod';
import { jsonSchema } from '../base/json-validator.ts';
import { dialogSchema } from '../environments/dialog.ts';
import type { Observation, Pointed, StartResult, StepInfo, StepResult } from '../environments/environment.ts';
import { toErrorCode } from '../environments/faults.ts';
import {
  contentNameSchema,
  downloadSchema,
  fileChangeSchema,
  type RecordedState,
  recordedActionSchema,
} from '../environments/recorded.ts';
import { CALL_ERRORS, type CallOutcome, type Method, portSchema } from './protocol.ts';
import { functionSchemas, pictureSchema } from './session-protocol.ts';

const point = z.object({ x: z.number(), y: z.number() });
const box = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });

const observationSchema = z.object({
  text: z.string().nullable(),
  screenshot: pictureSchema.nullable(),
  data: jsonSchema.exactOptional(),
  dialog: dialogSchema.exactOptional(),
}) satisfies z.ZodType<Observation>;

const outputsSchema = z.array(
  z.object({
    command: z.string(),
    output: z.string(),
    exit_code: z.number().int().nullable(),
    timed_out: z.literal(true).exactOptional(),
    duration_ms: z.number(),
  }),
);
const partsSchema = z.array(z.object({ name: z.string(), value: z.number().min(0).max(1), reason: z.string() }));

const infoSchema = z.looseObject({
  acted: z
    .array(
      z.looseObject({
        action: z.string(),
        point: point.exactOptional(),
        box: box.exactOptional(),
        element: z.string().exactOptional(),
        bid: z.string().exactOptional(),
        scroll: point.exactOptional(),
        path: z.array(point).exactOptional(),
        text: z.string().exactOptional(),
        ignored: z.string().exactOptional(),
      }),
    )
    .exactOptional(),
  messages: z
    .array(
      z.looseObject({
        kind: z.enum(['log', 'info', 'warning', 'error', 'exception', 'dialog', 'download', 'request']),
        text: z.string(),
        location: z.string().exactOptional(),
      }),
    )
    .exactOptional(),
  url: z.string().exactOptional(),
  title: z.string().exactOptional(),
  viewport: z.object({ width: z.number(), height: z.number() }).exactOptional(),
  timing: z.object({ action: z.number(), settle: z.number(), picture: z.number(), text: z.number() }).exactOptional(),
  response: z.string().exactOptional(),
  outputs: outputsSchema.exactOptional(),
  changes: z.array(fileChangeSchema).exactOptional(),
  downloads: z.array(downloadSchema).exactOptional(),
  state: jsonSchema.exactOptional(),
  total_reward: z.number().exactOptional(),
  windows: z.array(z.object({ title: z.string(), app: z.string(), active: z.boolean(), box })).exactOptional(),
}) satisfies z.ZodType<StepInfo>;

const recordedSchema = z.object({
  page: z.instanceof(Uint8Array).nullable(),
  missing: z.string().exactOptional(),
  resources: z.record(z.string(), z.instanceof(Uint8Array)),
  actions: z.array(recordedActionSchema),
}) satisfies z.ZodType<RecordedState>;

const stepResultSchema = z.object({
  observation: observationSchema,
  reward: z.number().nullable(),
  terminated: z.boolean(),
  info: infoSchema,
  error: z.object({ message: z.string(), code: z.string() }).nullable(),
  secrets: z.array(z.string()).exactOptional(),
  html: z.string().exactOptional(),
  focused: z.string().exactOptional(),
  contents: z.record(contentNameSchema, z.instanceof(Uint8Array)).exactOptional(),
  recorded: recordedSchema.exactOptional(),
}) satisfies z.ZodType<StepResult>;

const pointedSchema: z.ZodType<Pointed> = z.object({
  selector: z.string().nullable(),
  bid: z.string().nullable(),
  label: z.string(),
  steady: z.boolean(),
  scale: z.number().positive(),
  secret: z.boolean(),
  draggable: z.boolean(),
  asks: z
    .discriminatedUnion('kind', [
      z.object({
        kind: z.literal('select'),
        options: z.array(z.object({ value: z.string(), label: z.string(), chosen: z.boolean() })),
        multiple: z.boolean(),
      }),
      z.object({ kind: z.literal('value'), type: z.string(), value: z.string() }),
      z.object({ kind: z.literal('file') }),
    ])
    .nullable(),
});

/** `folder`: the folder of the task as the server sees it, which appears in messages of user-defined functions. */
const startSchema: z.ZodType<StartResult & { readonly folder: string }> = stepResultSchema.extend({
  goal: z.string().nullable(),
  max_steps: z.number().int().min(1).exactOptional(),
  warning: z.string().exactOptional(),
  actions: z.record(z.string(), jsonSchema).exactOptional(),
  offers: z.array(z.enum(['page', 'desktop', 'commands'])).exactOptional(),
  folder: z.string(),
});

const callOutcomeSchema: z.ZodType<CallOutcome> = z.union([
  z.object({
    value: z.number().nullable(),
    reason: z.string(),
    parts: partsSchema.exactOptional(),
    blame: z.literal('agent').exactOptional(),
    outputs: outputsSchema.exactOptional(),
    duration_ms: z.number(),
    step: stepResultSchema.nullable(),
  }),
  z.object({
    error: z.object({ message: z.string(), code: z.enum(CALL_ERRORS), stack: z.string().exactOptional() }),
    outputs: outputsSchema.exactOptional(),
    duration_ms: z.number(),
  }),
]);

const empty = z.object({}) as z.ZodType<Record<string, never>>;

/** The result of each request, by method. Servers are not trusted, so results are validated. */
export const resultSchemas = {
  hello: z.object({ version: z.number().int(), server: z.string() }),
  'session.open': z.object({ session: z.string().min(1).max(64) }),
  'session.reset': startSchema,
  'session.step': stepResultSchema as z.ZodType<StepResult>,
  'session.finish': stepResultSchema as z.ZodType<StepResult>,
  'session.pointed': z.object({ pointed: pointedSchema.nullable() }),
  /** The folder of the task, as the session sees it. */
  'session.provideFiles': z.object({ folder: z.string() }),
  'session.inspect': z.object({ port: portSchema }),
  /**
   * `entry`: where the function begins, as the path of its file in the folder of the task and the line of its first
   * statement, from 1; null for a class. `programs`: paths of our own Python code.
   */
  'session.debugPython': z.object({
    entry: z.object({ file: z.string(), line: z.number().int().min(1) }).nullable(),
    programs: z.array(z.string()),
  }),
  'session.toPython': empty,
  'session.setup': callOutcomeSchema,
  'session.evaluate': callOutcomeSchema,
  'session.query': z.object({ answer: jsonSchema }),
  'session.urls': z.object({ url: z.string().nullable(), live_url: z.string().nullable() }),
  'session.live': empty,
  /** `gaps`: descriptions of what the recording lacks. */
  'session.restore': z.object({ gaps: z.array(z.string()) }),
  'session.evaluateSnapshots': z.object({
    /** The outcomes of the calls of each snapshot; null for one to be restored and evaluated by itself. */
    judged: z.array(z.object({ gaps: z.array(z.string()), outcomes: z.array(callOutcomeSchema) }).nullable()),
  }),
  'session.close': empty,
  /** Ports that could not be opened, with the error. */
  'tunnel.open': z.object({ failed: z.array(z.object({ port: portSchema, message: z.string() })) }),
  'tunnel.write': empty,
  'tunnel.taken': empty,
  'tunnel.end': empty,
  'tunnel.close': empty,
} satisfies { readonly [M in Method]: z.ZodType };
export type Results = { readonly [M in Method]: z.infer<(typeof resultSchemas)[M]> };

const connection = z.number().int().min(0);

/** Events of a server; see `sessionEventSchema`. */
export const serverEventSchema = z.discriminatedUnion('event', [
  z.object({ event: z.literal('frame'), session: z.string(), picture: pictureSchema }),
  z.object({
    event: z.literal('log'),
    session: z.string().nullable(),
    level: z.enum(['error', 'warning', 'info', 'debug']),
    text: z.string(),
  }),
  z.object({ event: z.literal('functions'), session: z.string(), schemas: functionSchemas }),
  z.object({ event: z.literal('python'), session: z.string(), message: jsonSchema }),
  z.object({
    event: z.literal('session.ended'),
    session: z.string(),
    code: z.string().transform(toErrorCode),
    message: z.string(),
  }),
  z.object({ event: z.literal('tunnel.connected'), connection, port: portSchema }),
  z.object({ event: z.literal('tunnel.data'), connection, data: z.instanceof(Uint8Array) }),
  /** The server has ended its direction of the connection. */
  z.object({ event: z.literal('tunnel.ended'), connection }),
  z.object({ event: z.literal('tunnel.closed'), connection, broken: z.boolean() }),
]);
export type ServerEvent = z.infer<typeof serverEventSchema>;
/** Events of tunnel connections on the side of the server. */
export type TunnelEvent = Extract<ServerEvent, { event: `tunnel.${string}` }>;
