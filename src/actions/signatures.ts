import type { Literal } from '../python/literals.ts';
import { pythonRepr } from '../python/repr.ts';
import type { ParsedCall } from './calls.ts';

type ValueKind = 'string' | 'number' | 'boolean' | 'button' | 'modifiers' | 'strings' | 'points';

interface Parameter {
  readonly name: string;
  readonly kind: ValueKind;
  readonly default?: Literal;
}

const required = (name: string, kind: ValueKind): Parameter => ({ name, kind });
const optional = (name: string, kind: ValueKind, value: Literal): Parameter => ({ name, kind, default: value });

const bid = required('bid', 'string');
const point = [required('x', 'number'), required('y', 'number')];
const button = optional('button', 'button', 'left');
const modifiers = optional('modifiers', 'modifiers', []);

/** Default time limit of an agent's command in seconds. */
export const COMMAND_SECONDS = 60;

/** The functions that BrowserGym (browsergym 0.14.3) defines, with their parameters and defaults. */
export const BROWSERGYM_FUNCTIONS = {
  noop: [optional('wait_ms', 'number', 1000)],
  send_msg_to_user: [required('text', 'string')],
  report_infeasible: [required('reason', 'string')],
  scroll: [required('delta_x', 'number'), required('delta_y', 'number')],
  fill: [bid, required('value', 'string'), optional('enable_autocomplete_menu', 'boolean', false)],
  check: [bid],
  uncheck: [bid],
  select_option: [bid, required('options', 'strings')],
  click: [bid, button, modifiers],
  dblclick: [bid, button, modifiers],
  hover: [bid],
  press: [bid, required('key_comb', 'string')],
  focus: [bid],
  clear: [bid],
  drag_and_drop: [required('from_bid', 'string'), required('to_bid', 'string')],
  upload_file: [bid, required('file', 'strings')],
  scroll_at: [...point, required('dx', 'number'), required('dy', 'number')],
  mouse_move: point,
  mouse_up: [...point, button],
  mouse_down: [...point, button],
  mouse_click: [...point, button],
  mouse_dblclick: [...point, button],
  mouse_drag_and_drop: ['from_x', 'from_y', 'to_x', 'to_y'].map((name) => required(name, 'number')),
  mouse_upload_file: [...point, required('file', 'strings')],
  keyboard_down: [required('key', 'string')],
  keyboard_up: [required('key', 'string')],
  keyboard_press: [required('key', 'string')],
  keyboard_type: [required('text', 'string')],
  keyboard_insert_text: [required('text', 'string')],
  go_back: [],
  go_forward: [],
  goto: [required('url', 'string')],
  new_tab: [],
  tab_close: [],
  tab_focus: [required('index', 'number')],
} as const satisfies Record<string, readonly Parameter[]>;

/** Functions that only Taskwright has: for CLA actions that BrowserGym has no function for, for dialogs, and for files. */
export const TASKWRIGHT_FUNCTIONS = {
  response: [required('text', 'string')],
  type: [required('text', 'string'), optional('enter_after', 'boolean', false)],
  wait: [required('time', 'number')],
  move: point,
  drag: [required('path', 'points')],
  screenshot: [],
  position: [],
  handle_dialog: [required('accept', 'boolean'), optional('text', 'string', null)],
  run: [required('cmd', 'string'), optional('timeout', 'number', COMMAND_SECONDS)],
  read_file: [required('path', 'string')],
  write_file: [required('path', 'string'), required('text', 'string')],
  apply_patch: [required('diff', 'string')],
} as const satisfies Record<string, readonly Parameter[]>;

export type ActionFunction = keyof typeof BROWSERGYM_FUNCTIONS | keyof typeof TASKWRIGHT_FUNCTIONS;

const ALL: Readonly<Record<string, readonly Parameter[]>> = { ...BROWSERGYM_FUNCTIONS, ...TASKWRIGHT_FUNCTIONS };

/** The names of all functions, BrowserGym's first. */
export const ACTION_FUNCTIONS = Object.keys(ALL) as readonly ActionFunction[];

/** `click(bid, button='left', modifiers=[])`, in Python syntax. */
export function actionSignature(name: ActionFunction): string {
  const parameters: readonly Parameter[] = ALL[name] ?? [];
  const labels = parameters.map((one) =>
    one.default === undefined ? one.name : `${one.name}=${pythonRepr(one.default)}`,
  );
  return `${name}(${labels.join(', ')})`;
}

/** The call with a tab stop for each required argument: `fill('${1:bid}', '${2:value}')`. */
export function actionSnippet(name: ActionFunction): string {
  const parameters: readonly Parameter[] = ALL[name] ?? [];
  const stops = parameters
    .filter((one) => one.default === undefined)
    .map((one, index) => {
      const stop = `\${${index + 1}:${one.name}}`;
      if (one.kind === 'boolean') return 'True';
      return one.kind === 'string' || one.kind === 'strings' ? `'${stop}'` : one.kind === 'points' ? `[${stop}]` : stop;
    });
  return `${name}(${stops.join(', ')})`;
}

export function isActionFunction(name: string): name is ActionFunction {
  return Object.hasOwn(ALL, name);
}

/** Functions that BrowserGym defines and offers in none of its action sets. */
const NOT_OFFERED: ReadonlySet<string> = new Set(['check', 'uncheck']);

/** Whether an agent of BrowserGym can call a function. */
export function isBrowserGymFunction(name: string): boolean {
  return Object.hasOwn(BROWSERGYM_FUNCTIONS, name) && !NOT_OFFERED.has(name);
}

/** A call of a known function. */
export type ActionCall = ParsedCall & { readonly name: ActionFunction };

export type Bound = Readonly<Record<string, Literal>>;

/**
 * Binds a call's arguments to the parameters of its function and fills in defaults. Errors have the wording of Python's
 * `inspect.Signature.bind`. Then checks each value, which BrowserGym leaves to the browser.
 */
export function bind(call: ActionCall): { bound: Bound } | { error: string } {
  const parameters = ALL[call.name] ?? [];
  const keywords = new Map<string, Literal>();
  for (const [name, value] of call.keywords) {
    if (keywords.has(name)) return { error: `keyword argument repeated: ${name}` };
    keywords.set(name, value);
  }
  const bound: Record<string, Literal> = {};
  for (const [index, { name }] of parameters.slice(0, call.args.length).entries()) {
    if (keywords.has(name)) return { error: `multiple values for argument '${name}'` };
    bound[name] = call.args[index] as Literal;
  }
  if (call.args.length > parameters.length) return { error: 'too many positional arguments' };
  for (const parameter of parameters.slice(call.args.length)) {
    const value = keywords.get(parameter.name) ?? parameter.default;
    if (value === undefined && !keywords.has(parameter.name)) {
      return { error: `missing a required argument: '${parameter.name}'` };
    }
    bound[parameter.name] = value ?? null;
    keywords.delete(parameter.name);
  }
  const [unknownKeyword] = keywords.keys();
  if (unknownKeyword !== undefined) return { error: `got an unexpected keyword argument '${unknownKeyword}'` };
  for (const parameter of parameters) {
    const value = bound[parameter.name] ?? null;
    // Playwright accepts None for parameters with a default.
    if (value === null && parameter.default !== undefined) bound[parameter.name] = parameter.default;
    else if (!VALUE_KINDS[parameter.kind].fits(value)) {
      const { expected } = VALUE_KINDS[parameter.kind];
      return { error: `${parameter.name}: expected ${expected}, got ${pythonRepr(value)}` };
    }
  }
  return { bound };
}

const BUTTONS: readonly unknown[] = ['left', 'middle', 'right'];
const MODIFIERS: readonly unknown[] = ['Alt', 'Control', 'ControlOrMeta', 'Meta', 'Shift'];

/** Whether a value is of a kind, and the description of such a value in errors. */
const VALUE_KINDS: Readonly<Record<ValueKind, { readonly expected: string; fits(value: Literal): boolean }>> = {
  string: { expected: 'a string', fits: (value) => typeof value === 'string' },
  number: { expected: 'a number', fits: Number.isFinite },
  boolean: { expected: 'True or False', fits: (value) => typeof value === 'boolean' },
  button: { expected: "'left', 'middle' or 'right'", fits: (value) => BUTTONS.includes(value) },
  modifiers: {
    expected: "a list of 'Alt', 'Control', 'ControlOrMeta', 'Meta', 'Shift'",
    fits: (value) => Array.isArray(value) && value.every((one) => MODIFIERS.includes(one)),
  },
  strings: {
    expected: 'a string or a list of strings',
    fits: (value) => [value].flat().every((one) => typeof one === 'string'),
  },
  points: {
    expected: 'a list of points (x, y)',
    fits: (value) =>
      Array.isArray(value) &&
      value.every((point) => Array.isArray(point) && point.length === 2 && point.every(Number.isFinite)),
  },
};
