import type { Json } from '../../tasks/task.ts';

// OpenEnv's server validates with pydantic, and its clients read the errors. These are the same checks in the same words.

/** The version of pydantic that OpenEnv 0.10 runs with, which the addresses of its errors name. */
const PYDANTIC = 'https://errors.pydantic.dev/2.14/v';

export type JsonObject = { readonly [key: string]: Json };

/** One error as pydantic reports it. */
export interface Invalid {
  readonly type: string;
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly input: Json;
  readonly ctx?: JsonObject;
  readonly url?: string;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The errors as models report them, which name the page that explains them. FastAPI leaves it out for bodies. */
export function withUrls(errors: readonly Invalid[]): readonly Invalid[] {
  return errors.map((error) => ({ ...error, url: `${PYDANTIC}/${error.type}` }));
}

const missing = (loc: Invalid['loc'], input: Json): Invalid => ({
  type: 'missing',
  loc,
  msg: 'Field required',
  input,
});
const notDict = (loc: Invalid['loc'], input: Json): Invalid => ({
  type: 'dict_type',
  loc,
  msg: 'Input should be a valid dictionary',
  input,
});
const surplus = (loc: Invalid['loc'], input: Json): Invalid => ({
  type: 'extra_forbidden',
  loc,
  msg: 'Extra inputs are not permitted',
  input,
});
const notString = (loc: Invalid['loc'], input: Json): Invalid => ({
  type: 'string_type',
  loc,
  msg: 'Input should be a valid string',
  input,
});

/** The keys of a model that forbids others, and what must be at those that are there. */
type Checks = Readonly<Record<string, (loc: Invalid['loc'], value: Json) => readonly Invalid[]>>;

const dict = (loc: Invalid['loc'], value: Json): readonly Invalid[] => (isObject(value) ? [] : [notDict(loc, value)]);
const text = (loc: Invalid['loc'], value: Json): readonly Invalid[] =>
  typeof value === 'string' ? [] : [notString(loc, value)];

/** In the order of pydantic: the model's fields in their order, then what it does not know. */
function checkModel(value: JsonObject, checks: Checks, required: readonly string[]): readonly Invalid[] {
  const fields = Object.entries(checks).flatMap(([key, check]) => {
    const given = value[key];
    if (given !== undefined) return check([key], given);
    return required.includes(key) ? [missing([key], value)] : [];
  });
  const unknown = Object.entries(value).filter(([key]) => !Object.hasOwn(checks, key));
  return [...fields, ...unknown.map(([key, given]) => surplus([key], given))];
}

/** Checks an action: `{action_str, metadata?}`. */
export function checkAction(action: JsonObject): readonly Invalid[] {
  return withUrls(checkModel(action, { metadata: dict, action_str: text }, ['action_str']));
}

/** Checks a WebSocket message of a known type. */
export function checkMessage(
  type: 'reset' | 'step' | 'state' | 'close' | 'mcp',
  message: JsonObject,
): readonly Invalid[] {
  const named = { type: () => [] };
  const checks: Checks = type === 'state' || type === 'close' ? named : { ...named, data: dict };
  return withUrls(checkModel(message, checks, type === 'step' || type === 'mcp' ? ['data'] : []));
}

/** The body of a request: as FastAPI reads it, or its errors. Undefined: there is none. */
export function readBody(
  body: unknown,
  contentType: string | undefined,
): { readonly value: Json | undefined } | { readonly errors: readonly Invalid[] } {
  const text = typeof body === 'string' ? body : '';
  if (text === '') return { value: undefined };
  if (!/^application\/([\w.-]+\+)?json\b/i.test(contentType ?? '')) return { value: text };
  try {
    return { value: JSON.parse(text) as Json };
  } catch (error) {
    const { message, at } = jsonError(text, error);
    return {
      errors: [
        { type: 'json_invalid', loc: ['body', at], msg: 'JSON decode error', input: {}, ctx: { error: message } },
      ],
    };
  }
}

/** Why a text is no JSON, in the words of Python's parser as far as they are simple, and where. */
export function jsonError(text: string, error: unknown): { readonly message: string; readonly at: number } {
  const said = error instanceof Error ? error.message : '';
  const found = /position (\d+)/.exec(said)?.[1];
  // Of a short text V8 does not say where, and most that are no JSON at all are not from their first character.
  const otherwise = /end of JSON/.test(said) ? text.length : text.search(/\S|$/);
  const at = found === undefined ? otherwise : Number(found);
  const before = text.slice(0, at).trimEnd().at(-1);
  return { message: before === '{' ? 'Expecting property name enclosed in double quotes' : 'Expecting value', at };
}

const NOT_AN_OBJECT = 'Input should be a valid dictionary or object to extract fields from';

function notModel(value: Json): readonly Invalid[] {
  return [{ type: 'model_attributes_type', loc: ['body'], msg: NOT_AN_OBJECT, input: value }];
}

/** Checks the body of `/reset`, which may be absent. */
export function checkReset(
  value: Json | undefined,
): { readonly args: JsonObject } | { readonly errors: readonly Invalid[] } {
  if (value === undefined) return { args: {} };
  if (!isObject(value)) return { errors: notModel(value) };
  const { seed } = value;
  const read = seed === undefined || seed === null ? null : readWhole(['body', 'seed'], seed, 0);
  const wrong = checkId('episode_id', value);
  if (typeof read === 'object' && read !== null) return { errors: [read, ...wrong] };
  if (wrong.length > 0) return { errors: wrong };
  return { args: seed === undefined ? value : { ...value, seed: read } };
}

/** A whole number as pydantic reads it: numbers in texts and booleans count. */
function readWhole(loc: Invalid['loc'], value: Json, least?: number): number | Invalid {
  const fail = (type: string, msg: string): Invalid => ({ type, loc, msg, input: value });
  let number: number;
  if (typeof value === 'boolean') number = Number(value);
  else if (typeof value === 'string') {
    if (!/^\s*[+-]?\d+(\.0*)?\s*$/.test(value)) {
      return fail('int_parsing', 'Input should be a valid integer, unable to parse string as an integer');
    }
    number = Number(value);
  } else if (typeof value === 'number') {
    if (!Number.isInteger(value)) {
      return fail('int_from_float', 'Input should be a valid integer, got a number with a fractional part');
    }
    number = value;
  } else return fail('int_type', 'Input should be a valid integer');
  if (least === undefined || number >= least) return number;
  return { ...fail('greater_than_equal', `Input should be greater than or equal to ${least}`), ctx: { ge: least } };
}

function checkId(key: string, body: JsonObject): readonly Invalid[] {
  const value = body[key];
  if (value === undefined || value === null) return [];
  const loc = ['body', key];
  if (typeof value !== 'string') return [notString(loc, value)];
  if (value.length <= 255) return [];
  const msg = 'String should have at most 255 characters';
  return [{ type: 'string_too_long', loc, msg, input: value, ctx: { max_length: 255 } }];
}

/** Checks the body of `/step`. */
export function checkStep(
  value: Json | undefined,
): { readonly body: JsonObject; readonly action: JsonObject } | { readonly errors: readonly Invalid[] } {
  if (value === undefined) return { errors: [missing(['body'], null)] };
  if (!isObject(value)) return { errors: notModel(value) };
  const { action, timeout_s: timeout } = value;
  const errors: Invalid[] = [];
  if (action === undefined) errors.push(missing(['body', 'action'], value));
  else if (!isObject(action)) errors.push(notDict(['body', 'action'], action));
  if (timeout !== undefined && timeout !== null) {
    const loc = ['body', 'timeout_s'];
    if (typeof timeout !== 'number') {
      errors.push({ type: 'float_type', loc, msg: 'Input should be a valid number', input: timeout });
    } else if (!(timeout > 0)) {
      errors.push({ type: 'greater_than', loc, msg: 'Input should be greater than 0', input: timeout, ctx: { gt: 0 } });
    }
  }
  errors.push(...checkId('request_id', value));
  return errors.length > 0 || !isObject(action) ? { errors } : { body: value, action };
}

/** Checks the body of a route of the Task API. */
export function checkTaskRequest(
  value: Json | undefined,
  numbers: Readonly<Record<string, 'required' | 'optional'>>,
): { readonly body: JsonObject } | { readonly errors: readonly Invalid[] } {
  if (value === undefined) return { errors: [missing(['body'], null)] };
  if (!isObject(value)) return { errors: notModel(value) };
  const whole =
    (required: boolean) =>
    (loc: Invalid['loc'], given: Json): readonly Invalid[] => {
      const read = given === null && !required ? null : readWhole(loc, given);
      return typeof read === 'object' && read !== null ? [read] : [];
    };
  const checks: Checks = {
    split: text,
    ...Object.fromEntries(Object.entries(numbers).map(([key, need]) => [key, whole(need === 'required')])),
  };
  const required = ['split', ...Object.keys(numbers).filter((key) => numbers[key] === 'required')];
  const errors = checkModel(value, checks, required).map((error) => ({ ...error, loc: ['body', ...error.loc] }));
  return errors.length > 0 ? { errors } : { body: value };
}

/** A request of `/mcp`, or why it is none, in the words of pydantic. */
export function readRpc(
  value: JsonObject,
):
  | { readonly method: string; readonly id: string | number | null; readonly params: JsonObject }
  | { readonly wrong: string } {
  const errors = checkModel(
    value,
    {
      jsonrpc: (loc, given) =>
        given === '2.0' ? [] : [{ type: 'literal_error', loc, msg: "Input should be '2.0'", input: given }],
      method: text,
      params: dict,
      id: (loc, given) => {
        if (given === null || typeof given === 'string') return [];
        const read = readWhole([...loc, 'int'], given);
        return typeof read === 'object' ? [notString([...loc, 'str'], given), read] : [];
      },
    },
    ['jsonrpc', 'method'],
  );
  if (errors.length > 0) {
    const count = `${errors.length} validation error${errors.length === 1 ? '' : 's'} for JsonRpcRequest`;
    const lines = errors.map(
      ({ type, loc, msg, input }) =>
        `${loc.join('.')}\n  ${msg} [type=${type}, input_value=${printed(input)}, input_type=${typeName(input)}]\n    For further information visit ${PYDANTIC}/${type}`,
    );
    return { wrong: `Invalid request: ${[count, ...lines].join('\n')}` };
  }
  return {
    method: String(value['method']),
    id: (value['id'] ?? null) as string | number | null,
    params: (value['params'] ?? {}) as JsonObject,
  };
}

/** A value as Python prints it, cut short as pydantic does. */
function printed(value: Json): string {
  const text = python(value);
  return text.length <= 50 ? text : `${text.slice(0, 25)}...${text.slice(-24)}`;
}

function python(value: Json): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return `'${value.slice(0, 100)}'`;
  if (Array.isArray(value)) return `[${value.slice(0, 20).map(python).join(', ')}]`;
  const entries = Object.entries(value).slice(0, 20);
  return `{${entries.map(([key, inner]) => `'${key}': ${python(inner)}`).join(', ')}}`;
}

/** The name of a value's type in Python. */
export function typeName(value: Json): string {
  if (value === null) return 'NoneType';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  return { boolean: 'bool', string: 'str', object: 'dict' }[typeof value as 'boolean' | 'string' | 'object'];
}
