import { CLA_KEYS, keyName, uncommonKey } from '../../../actions/keys.ts';
import { BROWSERGYM_FUNCTIONS, TASKWRIGHT_FUNCTIONS } from '../../../actions/signatures.ts';
import type { Json } from '../../../base/json.ts';
import type { Path } from '../../../base/path.ts';
import { judges } from '../../../functions/meaning.ts';
import { flag, type Keys, list, number, object, text } from '../../../tasks/key-docs.ts';
import type { Cursor } from '../../../tasks/rows.ts';
import { placeholder, unquotedPlaceholder } from '../../../tasks/snippet.ts';
import { COOKIE_KEYS } from '../inner-keys.ts';
import { parameterAt, parametersOf } from '../parameters.ts';
import { at, type ValueContext, valueContext } from '../value-context.ts';
import type { CompletionContext } from './context.ts';
import type { CompletionItem, CompletionProposal } from './item.ts';
import { selectors } from './selectors.ts';
import { addresses, pagesOf, plain } from './values.ts';

type Argument = Extract<ValueContext, { kind: 'argument' }>;

const POINT: Keys = { x: number('Pixels from the left.', 100), y: number('Pixels from the top.', 200) };
const heldKeys = list('Keys that are held during the action.', ['ctrl'], 'list of keys');
const point = object('The location in pixels of the viewport.', { x: 100, y: 200 });

/** The fields of each CLA action (HUD 0.2.10), apart from `type`. */
const ACTION_KEYS: Readonly<Record<string, Keys>> = {
  click: {
    point,
    button: { doc: 'Which button.', shape: '`left`, `right`, `middle`, `back` or `forward`', example: 'left' },
    pattern: list('Milliseconds between clicks: `[100]` is a double click.', [100], 'list of numbers'),
    hold_keys: heldKeys,
  },
  press: { keys: list('Keys pressed together.', ['ctrl', 'a'], 'list of keys') },
  keydown: { keys: list('Keys to press and hold.', ['shift'], 'list of keys') },
  keyup: { keys: list('Keys to release.', ['shift'], 'list of keys') },
  type: { text: text('The text to type.', 'Anna'), enter_after: flag('Press Enter afterwards.', true) },
  response: { text: text('The answer.', 'Paris') },
  scroll: {
    point,
    scroll: object('The distance in pixels. Positive values scroll right and down.', { x: 0, y: 200 }),
    hold_keys: heldKeys,
  },
  move: { point, offset: object('The distance from the current mouse position.', { x: 10, y: 0 }) },
  wait: { time: number('Milliseconds.', 1000) },
  drag: {
    path: list('The points of the path.', [{ x: 0, y: 0 }], 'list of points'),
    pattern: list('Milliseconds between the points.', [100], 'list of numbers'),
    hold_keys: heldKeys,
  },
  custom: { action: text('The name of the action.', 'scroll_to'), args: object('The arguments by name.', {}) },
  screenshot: {},
  position: {},
};

const HISTORY_LENGTH: Keys = {
  exact: number('The exact number of entries.', 2),
  min: number('The minimum number of entries.', 2),
  max: number('The maximum number of entries.', 5),
};

const TEST_OPTIONS: Keys = {
  fail_to_pass: list('Names of tests that fail before the task is solved. All must run and pass.', [
    'test_total[empty]',
  ]),
  pass_to_pass: list('Names of tests that must still run and pass.', ['test_add']),
  timeout_s: number('The time limit of the command in seconds.', 600),
};

/** Common keys, by their Playwright names. */
const PRESSED = [
  ...['Enter', 'Tab', 'Escape', 'Backspace', 'Delete', 'Space', 'ArrowDown', 'ArrowUp', 'ArrowLeft', 'ArrowRight'],
  ...['Home', 'End', 'PageUp', 'PageDown', 'Control+A', 'Control+C', 'Control+V', 'Control+Z', 'Shift+Tab'],
];

/** The possible members of an object inside an argument. */
export function argumentKeys(path: Path, task: unknown): Keys | null {
  const place = valueContext(path, task);
  if (place.kind !== 'argument' || place.index === null) return null;
  const { name } = parameterIn(place, new Map()) ?? {};
  const [first, ...more] = place.inner;
  if (name === 'cookies' && typeof first === 'number' && more.length === 0) return COOKIE_KEYS;
  if (name === 'length' && first === undefined) return HISTORY_LENGTH;
  if (name === 'options' && first === undefined) return TEST_OPTIONS;
  if (name !== 'action') return null;
  if (place.inner.length === 0) {
    const type = at(task, [...path, 'type']);
    const about = text('Which action.', 'click', { required: true });
    const fields = typeof type === 'string' ? (ACTION_KEYS[type] ?? {}) : {};
    return { type: { ...about, shape: '`click`, `type`, ...' }, ...fields };
  }
  return first === 'point' || first === 'scroll' || first === 'offset' || first === 'path' ? POINT : null;
}

/** Parameters of built-in functions whose arguments have a special form. */
function parameterIn({ function: name, index, count }: Argument, own: CompletionContext['own']) {
  if (own.has(name)) return undefined;
  const parameters = parametersOf(name, own);
  return parameters === null || index === null ? undefined : parameterAt(parameters, index, Math.max(count, index + 1));
}

/** Completions for an argument of a call. */
export async function argumentValues(
  place: Argument,
  cursor: Cursor,
  context: CompletionContext,
): Promise<CompletionProposal[]> {
  if (place.index === null) {
    const items = blankArguments(place.function, context.own);
    return [{ label: '[…]', kind: 'value', detail: 'the arguments', pieces: [{ value: items.values }], rank: 1 }];
  }
  const parameter = parameterIn(place, context.own);
  if (parameter === undefined) return [];
  if (parameter.name === 'selector') {
    const offers = await selectors(cursor, context);
    return place.function === 'press' && place.count <= 1 ? [...keyNames(), ...offers] : offers;
  }
  switch (parameter.name) {
    case 'url':
      return place.inner.length === 0 ? addresses(cursor, context) : [];
    case 'key':
      return place.count <= 1 ? [...keyNames(), ...(await selectors(cursor, context))] : keyNames();
    case 'pattern':
    case 'text':
      return judges(place, 'url') ? urls(cursor, context) : [];
    case 'cookies':
      return cookies(place);
    case 'items':
      return place.inner.length === 0
        ? [shape('{ key: value }', 'entries of the local storage', { [placeholder('key')]: placeholder('value') })]
        : [];
    case 'length':
      return place.inner.length === 0
        ? [
            shape('{ min }', 'at least', { min: unquotedPlaceholder('2') }),
            shape('{ exact }', 'exactly', { exact: unquotedPlaceholder('2') }),
          ]
        : [];
    case 'options':
      return place.inner.length === 0
        ? [shape('{ fail_to_pass }', 'tests that must pass', { fail_to_pass: [placeholder('test')] })]
        : [];
    case 'name':
      return cookieNames(cursor).map((name) => plain(name, 'value', 'cookie of this task'));
    case 'action':
      return actions(place);
    default:
      return [];
  }
}

function shape(label: string, detail: string, value: Json): CompletionProposal {
  return { label, kind: 'value', detail, pieces: [{ value }], rank: 2 };
}

function keyNames(): CompletionProposal[] {
  return PRESSED.map((name) => plain(name, 'enum', 'key'));
}

function cookies({ inner }: Argument): CompletionProposal[] {
  const one = { name: placeholder('name'), value: placeholder('value') };
  if (inner.length === 1 && typeof inner[0] === 'number') return [shape('{ name, value }', 'cookie', one)];
  if (inner.length === 2 && inner[1] === 'sameSite') return enumOf(['Strict', 'Lax', 'None']);
  if (inner.length > 0) return [];
  return [
    shape('[{ name, value }]', 'cookies', [one]),
    shape('{ name: value }', 'cookies by name', { [placeholder('name')]: placeholder('value') }),
  ];
}

function enumOf(values: readonly string[]): CompletionProposal[] {
  return values.map((value) => plain(value, 'enum'));
}

/** Names of the cookies that the task itself sets. */
function cookieNames({ task }: Cursor): string[] {
  const names = new Set<string>();
  const take = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) take(at(item, ['name']));
    else if (typeof value === 'string') names.add(value);
    else if (typeof value === 'object' && value !== null) for (const key of Object.keys(value)) names.add(key);
  };
  for (const path of [['cookies'], ['initial_state', 'cookies']]) take(at(task, path));
  for (const { name, args } of pagesOf(task).calls) if (name === 'set_cookies') take(args[0]);
  return [...names];
}

function actions({ inner }: Argument): CompletionProposal[] {
  const [field, index] = inner;
  if (field === undefined) {
    const functions = Object.entries({ ...BROWSERGYM_FUNCTIONS, ...TASKWRIGHT_FUNCTIONS }).map(
      ([name, parameters]): CompletionProposal => {
        const requiredParameters = parameters.filter(
          (parameter) => !('default' in parameter) || parameter.default === undefined,
        );
        const samples = requiredParameters
          .map(({ kind, name: what }) => (kind === 'string' ? `'${what}'` : '0'))
          .join(', ');
        return {
          label: `${name}(${requiredParameters.map(({ name: what }) => what).join(', ')})`,
          kind: 'function',
          detail: 'action string',
          pieces: [{ value: placeholder(`${name}(${samples})`) }],
          rank: 2,
        };
      },
    );
    return [...functions, ...objects()];
  }
  if (field === 'type' && index === undefined) return enumOf(Object.keys(ACTION_KEYS));
  if (field === 'button') return enumOf(['left', 'right', 'middle', 'back', 'forward']);
  if ((field === 'keys' || field === 'hold_keys') && index !== undefined) {
    return CLA_KEYS.filter((key) => key.trim() !== '').map((key) => ({
      ...plain(key, 'enum', keyName(key)),
      rank: key.length === 1 ? 4 : uncommonKey(keyName(key)) ? 6 : 2,
    }));
  }
  return [];
}

function objects(): CompletionProposal[] {
  return Object.entries(ACTION_KEYS).map(([type, keys]) => {
    const common = Object.entries(keys).filter(([key]) => !['button', 'pattern', 'hold_keys', 'offset'].includes(key));
    return {
      label: `{ type: ${type} }`,
      kind: 'value' as const,
      detail: 'action object',
      pieces: [{ value: { type, ...Object.fromEntries(common.map(([key, { example }]) => [key, example])) } }],
      rank: 3,
    };
  });
}

/** Placeholder arguments of a new call. Arguments with completions stay empty, so that these open immediately. */
export function blankArguments(
  name: string,
  own: CompletionContext['own'],
): { readonly values: readonly Json[]; readonly next: CompletionItem['next'] } {
  const parameters = parametersOf(name, own);
  if (parameters === null) return { values: own.has(name) ? [unquotedPlaceholder()] : [], next: undefined };
  const requiredParameters = parameters.filter(({ optional, rest }) => !optional && !rest);
  const types = new Map(own.get(name)?.parameters?.map((parameter) => [parameter.name, parameter.type]));
  const [first] = requiredParameters;
  return {
    values: requiredParameters.map((parameter) =>
      blankArgument(parameter.name, types.get(parameter.name), own.has(name)),
    ),
    next: first === undefined ? undefined : !own.has(name) && OFFERED.has(first.name) ? 'completion' : 'signature',
  };
}

/** Parameters with completions. */
const OFFERED = new Set(['selector', 'url', 'key', 'action']);

function blankArgument(name: string, type: string | null | undefined, own: boolean): Json {
  if (own) return ofType(name, type ?? null);
  if (OFFERED.has(name)) return placeholder();
  if (name === 'cookies') return [{ name: placeholder('name'), value: placeholder('value') }];
  if (name === 'items') return { [placeholder('key')]: placeholder('value') };
  if (name === 'length') return unquotedPlaceholder('2');
  if (name === 'number') return unquotedPlaceholder('0');
  if (name === 'substrings' || name === 'answers') return [placeholder('text')];
  return placeholder(name);
}

/** A sample value of the type, which keeps the text valid; the name is in the signature. */
function ofType(name: string, type: string | null): Json {
  const kind = type?.endsWith('[]') === true ? 'list' : (type ?? '').replace(/\[.*/s, '');
  if (['number', 'int', 'float'].includes(kind)) return unquotedPlaceholder('0');
  if (kind === 'boolean' || kind === 'bool') return true;
  if (kind === 'object' || kind === 'dict') return unquotedPlaceholder('{}');
  return kind === 'list' ? [unquotedPlaceholder()] : placeholder(name);
}

async function urls(cursor: Cursor, context: CompletionContext): Promise<CompletionProposal[]> {
  return (await addresses(cursor, context)).filter(({ kind }) => kind !== 'file');
}
