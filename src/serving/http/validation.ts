import { isObject, type Json, type JsonObject } from '../../base/json.ts';
import { MAX_SEED } from '../served.ts';
import { characters, type Printable, part, repr, typeName } from './python.ts';

// OpenEnv's server validates with pydantic, and its clients read the errors. These are the same checks in the same words.

/** The version of pydantic that OpenEnv 0.10 runs with, which the addresses of its errors name. */
const PYDANTIC = 'https://errors.pydantic.dev/2.14/v';

/** One error as pydantic reports it. */
export type Invalid = {
  readonly type: string;
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  /** The value, or for what is missing, the object that lacks it. */
  readonly input: Printable;
  readonly ctx?: JsonObject;
  readonly url?: string;
};

/** Errors that repeat the values of a text as they were written. `whole`: what was checked. */
export function exactly(errors: readonly Invalid[], whole: Printable): readonly Invalid[] {
  return errors.map((error) => ({ ...error, input: inputOf(error, whole) }));
}

function inputOf({ type, loc }: Invalid, whole: Printable): Printable {
  const [key] = loc[0] === 'body' ? loc.slice(1) : loc;
  return key === undefined || type.startsWith('missing') ? whole : part(whole, String(key));
}

/** The errors as models report them, which name the page that explains them. FastAPI leaves it out for bodies. */
function withUrls(errors: readonly Invalid[]): readonly Invalid[] {
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
  const read = seed === undefined || seed === null ? null : readSeed(['body', 'seed'], seed);
  const wrong = checkId('episode_id', value);
  if (typeof read === 'object' && read !== null) return { errors: [read, ...wrong] };
  if (wrong.length > 0) return { errors: wrong };
  return { args: seed === undefined ? value : { ...value, seed: read } };
}

/** A seed is a whole number from 0. OpenEnv's server takes larger ones; those of runs are exact only up to `MAX_SEED`. */
function readSeed(loc: Invalid['loc'], value: Json): number | Invalid {
  const read = readWhole(loc, value);
  if (typeof read === 'object' || (read >= 0 && read <= MAX_SEED)) return read;
  const [type, words, ctx] =
    read < 0
      ? ['greater_than_equal', 'greater than or equal to 0', { ge: 0 }]
      : ['less_than_equal', `less than or equal to ${MAX_SEED}`, { le: MAX_SEED }];
  return { type, loc, msg: `Input should be ${words}`, input: value, ctx };
}

/** A whole number as pydantic reads it: numbers in texts and booleans count. */
function readWhole(loc: Invalid['loc'], value: Json): number | Invalid {
  const fail = (type: string, msg: string): Invalid => ({ type, loc, msg, input: value });
  let number: number;
  if (typeof value === 'boolean') number = Number(value);
  else if (typeof value === 'string') {
    if (!/^\s*[+-]?\d+(_\d+)*(\.0+)?\s*$/.test(value)) {
      return fail('int_parsing', 'Input should be a valid integer, unable to parse string as an integer');
    }
    number = Number(value.replaceAll('_', ''));
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) return fail('finite_number', 'Input should be a finite number');
    if (!Number.isInteger(value)) {
      return fail('int_from_float', 'Input should be a valid integer, got a number with a fractional part');
    }
    number = value;
  } else return fail('int_type', 'Input should be a valid integer');
  return number;
}

/** A whole number that has been checked; null if there is none. */
function wholeOf(value: Json | undefined): number | null {
  const read = value === undefined || value === null ? null : readWhole([], value);
  return typeof read === 'number' ? read : null;
}

function checkId(key: string, body: JsonObject): readonly Invalid[] {
  const value = body[key];
  if (value === undefined || value === null) return [];
  const loc = ['body', key];
  if (typeof value !== 'string') return [notString(loc, value)];
  if (characters(value) <= 255) return [];
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
  if (timeout !== undefined && timeout !== null) errors.push(...checkTimeout(timeout));
  errors.push(...checkId('request_id', value));
  return errors.length > 0 || !isObject(action) ? { errors } : { body: value, action };
}

const NUMBER = /^[+-]?(?:(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+)?|inf|infinity|nan)$/i;

/** A time limit is a number above 0, as pydantic reads it: numbers in texts and booleans count. */
function checkTimeout(value: Json): readonly Invalid[] {
  const loc = ['body', 'timeout_s'];
  if (typeof value !== 'number' && typeof value !== 'boolean' && typeof value !== 'string') {
    return [{ type: 'float_type', loc, msg: 'Input should be a valid number', input: value }];
  }
  const trimmed = typeof value === 'string' ? value.trim() : '';
  if (typeof value === 'string' && !NUMBER.test(trimmed)) {
    const msg = 'Input should be a valid number, unable to parse string as a number';
    return [{ type: 'float_parsing', loc, msg, input: value }];
  }
  const number = typeof value === 'string' ? Number(trimmed.replaceAll('_', '').replace(/inf.*/i, 'Infinity')) : +value;
  if (number > 0) return [];
  return [{ type: 'greater_than', loc, msg: 'Input should be greater than 0', input: value, ctx: { gt: 0 } }];
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
  if (errors.length > 0) return { errors };
  const read = Object.keys(numbers).map((key) => [key, wholeOf(value[key])] as const);
  return { body: { ...value, ...Object.fromEntries(read) } };
}

/**
 * A request of `/mcp`, or why it is none, in the words of pydantic.
 *
 * @param printable the request as it was written
 */
export function readRpc(
  value: JsonObject,
  printable: () => Printable,
): { readonly method: string; readonly id: Printable; readonly params: JsonObject } | { readonly wrong: string } {
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
  if (errors.length > 0) return { wrong: `Invalid request: ${told('JsonRpcRequest', errors, printable())}` };
  const id = value['id'] ?? null;
  return {
    method: String(value['method']),
    id: typeof id === 'string' ? id : exactId(wholeOf(id), printable),
    params: (value['params'] ?? {}) as JsonObject,
  };
}

/** Clients find what they asked by its `id`, which may have more digits than a number here. */
function exactId(id: number | null, printable: () => Printable): Printable {
  return id === null || Number.isSafeInteger(id) ? id : part(printable(), 'id');
}

/** Checks the parameters of `tools/call`; null if nothing is wrong. */
export function checkCall(params: JsonObject, printable: () => Printable): string | null {
  const errors = checkModel(params, { name: text, arguments: dict }, []).filter(
    ({ type }) => type !== 'extra_forbidden',
  );
  return errors.length === 0 ? null : told('CallToolRequestParams', errors, printable());
}

/** Checks the arguments of a tool, which are texts and all required, in the words of FastMCP; null if nothing is wrong. */
export function checkArguments(
  tool: string,
  given: JsonObject,
  names: readonly string[],
  printable: () => Printable,
): string | null {
  const found = checkModel(given, Object.fromEntries(names.map((name) => [name, text])), names);
  const errors = found.map((error) => ({ ...error, ...CALL_WORDS[error.type] }));
  return errors.length === 0 ? null : told(`call[${tool}]`, errors, printable());
}

/** What FastMCP says otherwise of arguments than pydantic of fields. */
const CALL_WORDS: Readonly<Record<string, { readonly type: string; readonly msg: string }>> = {
  missing: { type: 'missing_argument', msg: 'Missing required argument' },
  extra_forbidden: { type: 'unexpected_keyword_argument', msg: 'Unexpected keyword argument' },
};

/** The errors of a model as pydantic prints them. `whole`: what was checked. */
function told(model: string, errors: readonly Invalid[], whole: Printable): string {
  const count = `${errors.length} validation error${errors.length === 1 ? '' : 's'} for ${model}`;
  const lines = exactly(errors, whole).map(({ type, loc, msg, input }) => {
    return `${loc.join('.')}\n  ${msg} [type=${type}, input_value=${printed(input)}, input_type=${typeName(input)}]\n    For further information visit ${PYDANTIC}/${type}`;
  });
  return [count, ...lines].join('\n');
}

/** A value as Python prints it, cut short as pydantic does: to 50 bytes, between two characters. */
function printed(value: Printable): string {
  const text = Buffer.from(repr(value));
  if (text.length <= 50) return String(text);
  const isInside = (at: number): boolean => ((text[at] ?? 0) & 0xc0) === 0x80;
  let end = 25;
  while (isInside(end)) end -= 1;
  let start = text.length - 24;
  while (isInside(start)) start += 1;
  return `${text.subarray(0, end)}...${text.subarray(start)}`;
}
