import * as z from 'zod';
import { type Json, objectOf } from '../base/json.ts';
import { jsonSchema } from '../base/json-validator.ts';
import { EXACT_INTEGERS, EXACT_RANGE, integersOutOfRange } from './exact-integers.ts';
import { CLA_KEYS, keyNames } from './keys.ts';
import type { NormalAction, NormalisedActions } from './normal.ts';
import { COMMAND_SECONDS } from './signatures.ts';

/**
 * Reads numbers as pydantic's lax mode does: `"10"`, `10.0` and `true` are integers, `1.5` is not. Python's integers have
 * any size; here those that a number cannot hold exactly are refused.
 */
const int = z.preprocess(
  (value) => {
    if (typeof value === 'boolean') return value ? 1 : 0;
    if (typeof value === 'string' && /^\s*[+-]?\d+(?:_\d+)*(?:\.0+)?\s*$/.test(value))
      return Number(value.replaceAll('_', ''));
    return value;
  },
  z.number({ error: 'expected an integer' }).int({
    error: ({ input }) => (Number.isInteger(input) ? `expected an integer ${EXACT_RANGE}` : 'expected an integer'),
  }),
);

/** The arguments of a custom action, which go to the environment as they are. */
const args = z.record(z.string(), jsonSchema).superRefine((value, context) => {
  for (const path of integersOutOfRange(value)) {
    context.addIssue({ code: 'custom', path: [...path], message: `${EXACT_INTEGERS}; write it as a string` });
  }
});

const TRUE: readonly unknown[] = [true, 1, '1', 'true', 't', 'yes', 'y', 'on'];
const FALSE: readonly unknown[] = [false, 0, '0', 'false', 'f', 'no', 'n', 'off'];
const bool = z.preprocess(
  (value) => {
    const word = typeof value === 'string' ? value.toLowerCase() : value;
    return TRUE.includes(word) ? true : FALSE.includes(word) ? false : value;
  },
  z.boolean({ error: 'expected true or false' }),
);

const orNull = <Schema extends z.ZodType>(schema: Schema) => schema.nullable().default(null as never);

const point = z.object({ x: int, y: int });
const key = z.enum(CLA_KEYS as [string, ...string[]], { error: 'expected a lowercase key name' });
const keys = z.array(key);
const heldKeys = orNull(keys);
const delays = orNull(z.array(int));

const base = {
  reasoning: orNull(z.string()),
  logs: orNull(
    z.union([
      z.string(),
      z.record(z.string(), z.unknown()),
      z.array(z.union([z.string(), z.record(z.string(), z.unknown())])),
    ]),
  ),
};

function action<Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) {
  return z.object({ type: z.literal(type), ...base, ...fields });
}

/**
 * HUD's CLA actions (hud-python 0.2.10), then those that Taskwright adds for dialogs, files, and commands. Drops unknown fields,
 * as HUD does.
 */
export const claSchema = z.discriminatedUnion('type', [
  action('click', {
    point: orNull(point),
    button: z.enum(['left', 'right', 'middle', 'back', 'forward']).default('left'),
    pattern: delays,
    hold_keys: heldKeys,
  }),
  action('press', { keys }),
  action('keydown', { keys }),
  action('keyup', { keys }),
  action('type', { text: z.string(), enter_after: bool.nullable().default(false) }),
  action('response', { text: z.string() }),
  action('scroll', { point: orNull(point), scroll: orNull(point), hold_keys: heldKeys }),
  action('move', { point: orNull(point), offset: orNull(point) }),
  action('wait', { time: int }),
  action('drag', { path: z.array(point), pattern: delays, hold_keys: heldKeys }),
  action('custom', { action: z.string(), args: orNull(args) }),
  action('screenshot', {}),
  action('position', {}),
  action('handle_dialog', { accept: bool, text: orNull(z.string()) }),
  action('run', { cmd: z.string(), timeout: z.number().positive().default(COMMAND_SECONDS) }),
  action('read_file', { path: z.string() }),
  action('write_file', { path: z.string(), text: z.string() }),
  action('apply_patch', { diff: z.string() }),
]);
export type ClaAction = z.infer<typeof claSchema>;

/** The types of CLA objects. */
export const CLA_TYPES: readonly ClaAction['type'][] = claSchema.options.map(({ shape }) => shape.type.value);

/** The fields of an action type, `type` first; empty for an unknown type. */
export function claFields(type: string): readonly string[] {
  return Object.keys(claSchema.options.find(({ shape }) => shape.type.value === type)?.shape ?? {});
}

/** Reads one CLA object. */
export function readCla(input: unknown): NormalisedActions {
  const { data, error } = claSchema.safeParse(input);
  if (error === undefined) return { actions: [normalForm(data)], failure: null };
  const { path, message, choices } = problemOf(input, error);
  const { type } = objectOf(input);
  if (choices === CLA_TYPES) {
    return { actions: [], failure: { code: typeof type === 'string' ? 'unknown_action' : 'invalid_action', message } };
  }
  const place = path.length === 0 ? '' : `${path.join('.')}: `;
  return { actions: [], failure: { code: 'invalid_action', message: `${String(type)}: ${place}${message}` } };
}

/** Why an object is not a CLA action. */
export interface ClaProblem {
  /** Path in the object. */
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** The allowed values, if there is a fixed set. */
  readonly choices: readonly string[];
}

/** Returns why HUD's model rejects an object; null if it accepts it. */
export function claProblem(input: Readonly<Record<string, unknown>>): ClaProblem | null {
  const { error } = claSchema.safeParse(input);
  return error === undefined ? null : problemOf(input, error);
}

function problemOf(input: unknown, error: z.ZodError): ClaProblem {
  const { type } = objectOf(input);
  if (!CLA_TYPES.some((known) => known === type)) {
    const message =
      typeof type === 'string' ? `Invalid action type '${type}'.` : 'An action object needs a string `type`.';
    return { path: type === undefined ? [] : ['type'], message, choices: CLA_TYPES };
  }
  const [issue] = error.issues;
  return {
    path: issue?.path.filter((step) => typeof step !== 'symbol') ?? [],
    message: issue?.message ?? 'is invalid',
    choices: issue?.code === 'invalid_value' ? issue.values.map(String) : [],
  };
}

function normalForm(action: ClaAction): NormalAction {
  switch (action.type) {
    case 'click':
      return {
        type: 'click',
        target: action.point && { point: action.point },
        button: action.button,
        delays: action.pattern ?? [],
        hold: keyNames(action.hold_keys ?? []),
      };
    case 'press':
      return { type: 'press', target: null, keys: keyNames(action.keys) };
    case 'keydown':
      return { type: 'key', state: 'down', keys: keyNames(action.keys) };
    case 'keyup':
      return { type: 'key', state: 'up', keys: keyNames(action.keys) };
    case 'type':
      return { type: 'type', text: action.text, enter: action.enter_after ?? false };
    case 'scroll':
      return {
        type: 'scroll',
        target: action.point && { point: action.point },
        x: action.scroll?.x ?? 0,
        y: action.scroll?.y ?? 0,
        hold: keyNames(action.hold_keys ?? []),
      };
    case 'move':
      return { type: 'move', target: action.point && { point: action.point }, offset: action.offset };
    case 'wait':
      return { type: 'wait', ms: action.time };
    case 'drag':
      return {
        type: 'drag',
        path: action.path.map((point) => ({ point })),
        delays: action.pattern ?? [],
        hold: keyNames(action.hold_keys ?? []),
      };
    case 'custom':
      return { type: 'custom', action: action.action, args: action.args as { [key: string]: Json } | null };
    case 'run':
      return { type: 'run', command: action.cmd, timeout: action.timeout };
    default: {
      const { reasoning: _reasoning, logs: _logs, ...own } = action;
      return own;
    }
  }
}
