import * as z from 'zod';
import type { JsonObject } from '../../base/json.ts';

/** One problem of a request, as FastAPI reports it. */
export interface Problem {
  readonly type: string;
  readonly loc: readonly (string | number)[];
  readonly msg: string;
}

/** A request that does not match its schema. */
export class InvalidRequest extends Error {
  override readonly name = 'InvalidRequest';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super('Invalid request');
    this.problems = problems;
  }
}

/** Reads a value by its schema. `place`: where it is in the request. Throws `InvalidRequest`. */
export function check<T>(schema: z.ZodType<T>, value: unknown, place: Problem['loc'] = []): T {
  const { data, error } = schema.safeParse(value, { reportInput: true });
  if (error === undefined) return data;
  throw new InvalidRequest(error.issues.flatMap((issue) => problemsOf(issue, place)));
}

function problemsOf(issue: z.core.$ZodIssue, place: Problem['loc']): readonly Problem[] {
  const loc = [...place, ...(issue.path as (string | number)[])];
  if (issue.code !== 'unrecognized_keys') return [{ type: typeOf(issue), loc, msg: issue.message }];
  // The message of the issue names all keys, which can be many.
  return issue.keys.map((key) => ({ type: 'extra_forbidden', loc: [...loc, key], msg: 'Unrecognized key' }));
}

/** What pydantic calls the types that zod expects. */
const TYPES: Readonly<Record<string, string>> = { object: 'model_attributes', record: 'dict' };

function typeOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'missing' : `${TYPES[issue.expected] ?? issue.expected}_type`;
    case 'too_small':
      return issue.inclusive ? 'greater_than_equal' : 'greater_than';
    case 'too_big':
      return issue.origin === 'string' ? 'string_too_long' : 'less_than_equal';
    default:
      return issue.code;
  }
}

/** Booleans are numbers in Python. */
const number = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (typeof value === 'boolean' ? Number(value) : value), schema);
const integer = number(z.int());
const name = z.string().max(255);
export const objectSchema = z.record(z.string(), z.unknown()) as z.ZodType<JsonObject>;

/** The body of `/reset`. OpenEnv's server takes seeds that are not exact as numbers, too. */
export const resetSchema = z.looseObject({ seed: number(z.int().min(0)).nullish(), episode_id: name.nullish() });

/** The body of `/step`. */
export const stepSchema = z.looseObject({
  action: objectSchema,
  timeout_s: number(z.number().positive()).nullish(),
  request_id: name.nullish(),
});

export const actionSchema = z.strictObject({ metadata: objectSchema.optional(), action_str: z.string() });

/** Bodies of the Task API. */
export const splitSchema = z.strictObject({ split: z.string() });
export const taskSchema = splitSchema.extend({ index: integer });
export const rangeSchema = splitSchema.extend({ start: integer.nullish(), stop: integer.nullish() });

/** A message of `/ws`. */
export const messageSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('reset'), data: objectSchema.default({}) }),
  z.strictObject({ type: z.enum(['step', 'mcp']), data: objectSchema }),
  z.strictObject({ type: z.enum(['state', 'close']) }),
]);

/** A request of `/mcp`. */
export const rpcSchema = z.strictObject({
  jsonrpc: z.literal('2.0'),
  method: z.string(),
  params: objectSchema.default({}),
  id: z.union([z.string(), integer]).nullable().default(null),
});
