import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findCalls, type ParsedCall } from '../../../src/actions/calls.ts';
import type { NormalAction } from '../../../src/actions/normal.ts';
import { normaliseAction } from '../../../src/actions/normalise.ts';
import { printAction } from '../../../src/actions/print.ts';
import { type ActionFunction, BROWSERGYM_FUNCTIONS, bind, isActionFunction } from '../../../src/actions/signatures.ts';
import { pythonString } from '../../../src/python/repr.ts';
import { readText, recorded } from './fixtures.ts';

type Value = unknown;
interface RecordedCall {
  fn: string;
  args: Value[];
  kwargs: Record<string, Value>;
}
interface RecordedAction {
  input: string;
  parse_loose: { calls: RecordedCall[] };
  sets: Record<string, { ok: boolean; message?: string }>;
  bind_errors?: (string | null)[];
}

const rows = recorded<RecordedAction>('actions', 'browsergym.jsonl');

describe('an action string is read as BrowserGym reads it', () => {
  it.each(rows)('finds the calls of $input', ({ input, parse_loose }) => {
    const expected = parse_loose.calls.map(({ fn, args, kwargs }) => ({
      name: fn,
      args: args.map(plain),
      keywords: Object.entries(kwargs).map(([name, value]) => [name, plain(value)]),
    }));
    expect(findCalls(input)).toEqual(expected);
  });

  it.each(rows.filter((row) => row.bind_errors !== undefined))(
    'accepts and rejects the arguments of $input with the same messages',
    ({ input, bind_errors = [] }) => {
      const errors = findCalls(input).map((call) => {
        const result = bind(call as ParsedCall & { name: ActionFunction });
        return 'error' in result ? result.error : null;
      });
      // What binds and is of the wrong type is refused here at once; BrowserGym finds that out while it acts.
      expect(errors.map((error) => (error !== null && / expected .+, got /.test(error) ? null : error))).toEqual(
        bind_errors,
      );
      const refusal = bind_errors.find((error) => error !== null);
      if (refusal != null) expect(normaliseAction(input).failure?.message).toContain(refusal);
    },
  );

  it.each(['check', 'uncheck'])(
    'does not offer %s to BrowserGym’s agents, as no action set of BrowserGym has it',
    (name) => {
      const failure = { code: 'unknown_action', message: `Invalid action type '${name}'.` };
      expect(normaliseAction(`${name}('55')`, { dialect: 'browsergym' })).toEqual({ actions: [], failure });
      expect(normaliseAction(`${name}('55')`).failure).toBe(null);
    },
  );

  it.each(rows)('offers the functions of an action set only: $input', ({ input, sets }) => {
    for (const [name, functions] of actionSets()) {
      const { failure } = normaliseAction(input, { dialect: 'browsergym', functions });
      const recordedSet = sets[name];
      if (!recordedSet) throw new Error(`nothing is recorded of ${name}`);
      const unknown =
        failure?.code === 'empty_action' || failure?.code === 'unknown_action' ? failure.message : undefined;
      expect(unknown).toBe(recordedSet.ok ? undefined : recordedSet.message);
    }
  });

  it.each(
    recorded<{ in: string; out: { calls?: [string, Value[], [string, Value][]][]; error?: string } }>(
      'actions',
      'loose.jsonl',
    ),
  )('reads odd text as the original does: $in', ({ in: text, out }) => {
    if (out.error) expect(() => findCalls(text)).toThrow();
    else {
      const expected = out.calls?.map(([name, args, keywords]) => ({
        name,
        args: args.map(plain),
        keywords: keywords.map(([key, value]) => [key, plain(value)]),
      }));
      expect(findCalls(text)).toEqual(expected);
    }
  });

  it('has every function with its parameters and defaults', () => {
    const { functions } = JSON.parse(readText('actions', 'signatures.json')) as {
      functions: Record<string, { name: string; default?: unknown }[]>;
    };
    const ours = Object.fromEntries(
      Object.entries(BROWSERGYM_FUNCTIONS).map(([name, parameters]) => [
        name,
        parameters.map((parameter: { name: string; default?: unknown }) =>
          'default' in parameter ? { name: parameter.name, default: parameter.default } : { name: parameter.name },
        ),
      ]),
    );
    const theirs = Object.fromEntries(
      Object.entries(functions).map(([name, parameters]) => [
        name,
        parameters.map((parameter) =>
          'default' in parameter ? { name: parameter.name, default: parameter.default } : { name: parameter.name },
        ),
      ]),
    );
    expect(ours).toEqual(theirs);
  });

  it('reads a long text without calls quickly', () => {
    const prose = 'I think that I should (perhaps) look at the '.repeat(20_000);
    expect(findCalls(`${prose}click('12')`)).toEqual([{ name: 'click', args: ['12'], keywords: [] }]);
    expect(findCalls('f('.repeat(50_000))).toEqual([]);
    expect(findCalls(`f(${'['.repeat(50_000)}`)).toEqual([]);
  });
});

describe("the RFC's short forms", () => {
  it.each<[string, NormalAction]>([
    ['click(#submit-btn)', click('#submit-btn')],
    ['click(button[type=submit])', click('button[type=submit]')],
    ['fill(#name,Ada Lovelace)', { type: 'fill', target: { ref: '#name' }, text: 'Ada Lovelace', menu: false }],
    ["fill(#name, 'Ada')", { type: 'fill', target: { ref: '#name' }, text: 'Ada', menu: false }],
    ['fill(:is(#a, #b), x, y)', { type: 'fill', target: { ref: ':is(#a, #b)' }, text: 'x, y', menu: false }],
    ['goto(https://shop.test/cart)', { type: 'goto', url: 'https://shop.test/cart' }],
    ['press(Control+A)', { type: 'press', target: null, keys: ['Control', 'A'] }],
    ['scroll(down)', { type: 'scroll', target: null, x: 0, y: 500, hold: [] }],
    ['scroll(up)', { type: 'scroll', target: null, x: 0, y: -500, hold: [] }],
  ])('%s', (text, action) => {
    expect(normaliseAction(text)).toEqual({ actions: [action], failure: null });
  });

  it('are tried only if no call is found, and never for BrowserGym', () => {
    expect(normaliseAction("press('Enter')").failure?.message).toContain("missing a required argument: 'key_comb'");
    expect(normaliseAction('click(#a)', { dialect: 'browsergym' }).failure?.message).toBe('Received an empty action.');
    for (const text of ['document.title', 'click(', 'scroll(sideways)', 'fill(#a)', 'alert(document.cookie)']) {
      expect(normaliseAction(text).failure?.code).toBe('empty_action');
    }
  });
});

describe('the error of an invalid action', () => {
  it('runs the calls before invalid arguments, but none of a string with an unknown function', () => {
    const late = normaliseAction("click('12'); fill('13')");
    expect(late.actions).toEqual([click('12')]);
    expect(late.failure).toEqual({ code: 'invalid_action', message: "fill: missing a required argument: 'value'" });
    expect(normaliseAction("click('12'); explode('13')")).toEqual({
      actions: [],
      failure: { code: 'unknown_action', message: "Invalid action type 'explode'." },
    });
  });

  it.each([
    ['click(12)', 'click: bid: expected a string, got 12'],
    ["click('1', 'purple')", "click: button: expected 'left', 'middle' or 'right', got 'purple'"],
    ["scroll('1', 2)", "scroll: delta_x: expected a number, got '1'"],
    ['noop(1e999)', 'noop: wait_ms: expected a number, got Infinity'],
    ["click('1', button='left', button='left')", 'click: keyword argument repeated: button'],
    ["click('1', bid='2')", "click: multiple values for argument 'bid'"],
    ["focus('1', '2', bid='3')", "focus: multiple values for argument 'bid'"],
    ["focus('1', '2', id='3')", 'focus: too many positional arguments'],
  ])('%s', (text, message) => {
    expect(normaliseAction(text).failure?.message).toBe(message);
  });
});

describe('printing', () => {
  it.each(
    rows.flatMap(({ input }) => normaliseAction(input).actions.map((action) => [printAction(action), action] as const)),
  )('%s reads back as the same action', (printed, action) => {
    expect(normaliseAction(printed)).toEqual({ actions: [action], failure: null });
  });

  it('prints any text so that it parses back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(findCalls(`f(${pythonString(text)})`)).toEqual([{ name: 'f', args: [text], keywords: [] }]);
      }),
    );
  });

  it('parses back any action string', () => {
    const ref = fc.string({ unit: 'binary', minLength: 1 }).map((text) => ({ ref: text }));
    const at = fc.record({
      point: fc.record({ x: fc.integer(), y: fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n || 0) }),
    });
    const hold = fc.subarray(['Alt', 'Control', 'Meta', 'Shift']);
    const button = fc.constantFrom('left' as const, 'right' as const, 'middle' as const);
    const keys = fc.array(fc.constantFrom('Control', 'a', '+', 'Enter'), { minLength: 1, maxLength: 3 });
    const text = fc.string({ unit: 'binary' });
    const none = fc.constant([]);
    const action: fc.Arbitrary<NormalAction> = fc.oneof(
      fc.record({ type: fc.constant('click'), target: ref, button, delays: fc.constantFrom([], [0]), hold }),
      fc.record({ type: fc.constant('click'), target: at, button, delays: fc.constantFrom([], [0]), hold: none }),
      fc.record({ type: fc.constant('move'), target: fc.oneof(ref, at), offset: fc.constant(null) }),
      fc.record({
        type: fc.constant('drag'),
        path: fc.array(at, { minLength: 2, maxLength: 5 }),
        delays: none,
        hold: none,
      }),
      fc.record({ type: fc.constant('type'), text, enter: fc.boolean() }),
      fc.record({ type: fc.constant('fill'), target: ref, text, menu: fc.boolean() }),
      fc.record({ type: fc.constant('press'), target: fc.oneof(ref, fc.constant(null)), keys }),
      fc.record({ type: fc.constant('select'), target: ref, options: fc.array(text) }),
      fc.record({ type: fc.constant('response'), text }),
    );
    fc.assert(
      fc.property(action, (one) => {
        expect(normaliseAction(printAction(one))).toEqual({ actions: [one], failure: null });
      }),
    );
  });
});

describe('a character by its Unicode name in a string', () => {
  it.each([String.raw`fill('a', '\N{BULLET}')`, String.raw`fill('a', "\\\N{BULLET}")`])('is rejected: %s', (text) => {
    expect(() => findCalls(text)).toThrow('write the character itself');
  });

  it.each([
    [String.raw`fill('a', '\\N{BULLET}')`, String.raw`\N{BULLET}`],
    [String.raw`fill('a', '\u2022')`, '•'],
  ])('is not in %s', (text, expected) => {
    expect(normaliseAction(text)).toMatchObject({ actions: [{ type: 'fill', text: expected }], failure: null });
  });
});

function click(ref: string): NormalAction {
  return { type: 'click', target: { ref }, button: 'left', delays: [], hold: [] };
}

/** Recorded values say whether a number was a float and a list a tuple; here both are one. */
function plain(value: Value): Value {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  if ('float' in value) return Number(value.float);
  if ('tuple' in value) return (value.tuple as Value[]).map(plain);
  const entries = ('dict' in value ? value.dict : 'd' in value ? value.d : []) as [string, Value][];
  return Object.fromEntries(entries.map(([key, entry]) => [key, plain(entry)]));
}

function actionSets(): [string, ReadonlySet<string>][] {
  const { default_action_set, action_sets } = JSON.parse(readText('actions', 'signatures.json')) as {
    default_action_set: string[];
    action_sets: Record<string, string[]>;
  };
  const all = [...default_action_set, ...(action_sets['miniwob_all'] ?? [])];
  expect(all.every(isActionFunction)).toBe(true);
  return [
    ['default', new Set(default_action_set)],
    ['miniwob_all', new Set(action_sets['miniwob_all'])],
  ];
}
