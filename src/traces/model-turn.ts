import * as z from 'zod';
import { isObject } from '../base/json.ts';
import { jsonSchema } from '../base/json-validator.ts';

const text = z.string().exactOptional();
const count = z.number().exactOptional();

/** Tokens and costs of a turn. What the model's vendor does not report is absent. */
const usageSchema = z.object({
  /** All, cached ones included. */
  prompt_tokens: count,
  cached_tokens: count,
  cache_write_tokens: count,
  /** All, reasoning included. */
  completion_tokens: count,
  reasoning_tokens: count,
  cost_usd: count,
});

/** The texts of a model in one answer, beside its actions. Absent parts have no member. Names as in HUD's `AgentStep`. */
export const modelTurnSchema = z.object({
  message: text,
  reasoning: text,
  model: text,
  usage: usageSchema.exactOptional(),
  /** Why the model stopped, in the words of its vendor. */
  stop_reason: text,
  refusal: text,
  /** Time until the first token, in ms. */
  ttft_ms: count,
  /** Number of requests, repeated ones included. */
  requests: count,
  citations: z
    .array(
      z.object({ text, source: text, title: z.string().nullish(), url: z.string().nullish() }).catchall(jsonSchema),
    )
    .exactOptional(),
});
export type ModelTurn = z.infer<typeof modelTurnSchema>;

/** The turn among members of another object, without members that are null or invalid; undefined if none is left. */
export function turnIn(members: Readonly<Record<string, unknown>>): ModelTurn | undefined {
  const turn = Object.fromEntries(
    Object.entries(modelTurnSchema.shape as Readonly<Record<string, z.ZodType>>).flatMap(([name, schema]) => {
      const value = schema.safeParse(withoutNulls(members[name]));
      return value.success && value.data !== undefined ? [[name, value.data]] : [];
    }),
  );
  return Object.keys(turn).length === 0 ? undefined : turn;
}

function withoutNulls(value: unknown): unknown {
  return isObject(value) ? Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null)) : value;
}

/** A line of a trace of an older version, which has the turn in `info`, as this version writes it. */
export function withTurn(line: unknown): unknown {
  const { info, turn, source } = (line ?? {}) as Readonly<Record<string, unknown>>;
  if (turn !== undefined || !isObject(info)) return line;
  const { finish_reason: stop_reason, kind, ...rest } = info;
  if (source !== 'agent' && kind !== 'agent') return line;
  const oldTurn = turnIn({ ...rest, stop_reason });
  return oldTurn === undefined ? line : { ...(line as object), turn: oldTurn };
}
