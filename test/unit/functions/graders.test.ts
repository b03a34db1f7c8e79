import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import { findBuiltin } from '../../../src/functions/catalogue.ts';
import type { FunctionContext } from '../../../src/functions/declaration.ts';
import { readResult, runCall } from '../../../src/functions/evaluate.ts';
import { normalize } from '../../../src/functions/graders/text.ts';
import { rewardOf, weightOf } from '../../../src/runs/run/grading.ts';
import { recorded } from '../actions/fixtures.ts';
import { call } from '../runs/tasks.ts';

interface Row {
  readonly fn: string;
  readonly args: readonly Json[];
  readonly kwargs?: Readonly<Record<string, Json>>;
  readonly out?: Json;
  readonly error?: unknown;
}

const graders = recorded<Row>('hud', 'graders-0.6.21.jsonl').filter(({ fn }) => fn !== 'EvaluationResult');
const matchers = recorded<Row>('hud', 'matchers-0.2.10.jsonl');
/** In the order in which they follow the argument that is written. */
const SETTINGS = ['normalize_text', 'case_sensitive', 'tolerance'];

/** What an evaluate call gives for a response. */
async function judged(name: string, response: string | null, args: readonly Json[]) {
  const context: FunctionContext = {
    page: undefined,
    response,
    actions: [],
    actionTimeout: 0,
    open: async () => undefined,
  };
  return runCall({ function: name, args }, 'evaluate', context, { functions: new Map(), failures: [] } as never);
}

/** A response is a text; what Python's `str` makes of other values is the text that it stands for. */
function asResponse(value: Json | undefined): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return Array.isArray(value) ? `[${value.map((one) => `'${String(one)}'`).join(', ')}]` : String(value);
}

describe('text graders return what hud.graders returns (0.6.21)', () => {
  it.each(graders.filter((row) => row.fn === 'normalize'))('normalize $args', ({ args, out }) => {
    expect(normalize(asResponse(args[0]))).toBe(out);
  });

  const rows = graders.filter((row) => row.fn !== 'normalize' && !row.fn.startsWith('combine'));
  it.each(rows.filter((row) => row.out !== undefined))('$fn $args $kwargs', async ({ fn, args, kwargs, out }) => {
    const settings = SETTINGS.flatMap((name) => kwargs?.[name] ?? []);
    const [response, ...rest] = args;
    const result = await judged(fn, asResponse(response), [...rest, ...settings]);
    expect(result).toEqual({ value: out, reason: expect.stringMatching(/\w/) });
  });

  it.each(rows.filter((row) => row.error !== undefined))('refuses $fn $args', async ({ fn, args }) => {
    const result = await judged(fn, asResponse(args[0]), args.slice(1));
    expect(result).toMatchObject({ error: { code: 'invalid_arguments' } });
  });
});

describe('matchers return what hud.evaluators returns (0.2.10)', () => {
  /** A response is a text, so two numbers never meet. */
  const rows = matchers.filter((row) => !(row.fn === 'match_diff' && typeof row.args[0] !== 'string'));

  it.each(rows.filter((row) => row.args[1] !== '('))('$fn $args', async ({ fn, args, out }) => {
    const [response, ...rest] = args;
    const { score } = out as { score: number };
    expect(await judged(fn, asResponse(response), rest)).toEqual({ value: score, reason: expect.stringMatching(/\w/) });
  });

  it('rejects an invalid pattern, for which the original returns 0', async () => {
    expect(await judged('match_regex', 'abc', ['('])).toMatchObject({ error: { code: 'invalid_arguments' } });
  });

  it('accepts the answers of match_all as separate arguments, as the import of samples writes them', async () => {
    expect(await judged('match_all', 'red and blue', ['red', 'green'])).toMatchObject({ value: 0.5 });
  });

  it('ignores frequent characters in long texts, as difflib does', async () => {
    const long = 'ab'.repeat(100);
    expect(await judged('match_diff', `x${long}`, [`${long}`])).toMatchObject({ value: 0 });
  });
});

describe('the combined value of several calls', () => {
  interface Score {
    readonly name?: string;
    readonly value?: Json;
    readonly weight?: number;
  }
  const combined = graders.filter(({ fn }) => fn.startsWith('combine'));
  const scoresOf = ({ args }: Row) => args as unknown as Score[];
  const positive = combined.filter(
    (row) => row.out !== undefined && scoresOf(row).every(({ weight = 1 }) => Number(weight) > 0),
  );

  it.each(positive)('$fn $args', ({ fn, args, out }) => {
    const scores = (args as unknown as Score[]).map(({ value, weight = 1 }) => ({
      value: Number(value),
      weight: Number(weight),
    }));
    const combine = fn === 'combine' ? undefined : fn.slice('combine_'.length);
    const { reward, value } = out as { reward?: number; value?: number };
    expect(rewardOf(scores, combine)).toBeCloseTo(reward ?? value ?? Number.NaN, 12);
  });

  /** Why a call with such a score ends the run; nothing of it gets as far as to be combined. */
  function refused({ name, value, weight = 1 }: Score): string | undefined {
    if (weightOf(call('f', [], { weight })) === null) return 'weight';
    if ('error' in readResult('f', value === undefined ? undefined : { value })) return 'value';
    return name === undefined ? 'a call has its name' : undefined;
  }

  // A penalty, which HUD subtracts, would make a reward below 0: here a weight is above 0.
  it('does not exist for arguments that HUD rejects, and for penalties', () => {
    const rest = combined.filter((row) => !positive.includes(row));
    expect(rest.map((row) => scoresOf(row).flatMap((score) => refused(score) ?? []))).toEqual([
      // Nothing to combine: the reward is the environment's own, or none.
      [],
      ['weight'],
      ['weight'],
      ['weight'],
      ['weight'],
      ['value'],
      ['value'],
      ['value'],
      ['a call has its name'],
      [],
      [],
    ]);
  });
});

describe('the reason of a grader', () => {
  it.each([
    ['exact_match', 'London', ['Paris'], 0, 'expected “Paris”, the response is “London”'],
    [
      'contains',
      'PARIS',
      ['Paris', true],
      0,
      'different capitalization: “Paris”; “Paris” is not in the response “PARIS”',
    ],
    ['contains_any', 'red', [['blue', 'green']], 0, 'none of “blue” and “green” is in the response “red”'],
    ['numeric_match', 'no', [3], 0, 'the response “no” contains no number'],
    ['numeric_match', 'Of 10 there are 3', [3], 0, 'the first number in the response is 10, expected 3; 3 comes later'],
    ['match_all', 'a b', [['a', 'z']], 0.5, '1 of 2 found; “z” is not in the response “a b”'],
  ] as const)('%s of %s', async (name, response, args, value, reason) => {
    expect(await judged(name, response, args as readonly Json[])).toEqual({
      value,
      reason: expect.stringContaining(reason),
    });
  });

  it('is 0 without a response', async () => {
    const asked: Readonly<Record<string, readonly Json[]>> = {
      exact_match: ['none'],
      contains: [''],
      contains_any: [['none']],
      contains_all: [[]],
      numeric_match: [0],
      f1_score: ['none'],
      match_single: [''],
      match_all: [['none']],
      match_fuzzy: [''],
      match_regex: [''],
      match_diff: [''],
    };
    for (const [name, args] of Object.entries(asked)) {
      expect(findBuiltin(name)?.needs).toEqual([]);
      expect(await judged(name, null, args)).toEqual({ value: 0, reason: 'the agent gave no response' });
    }
  });
});
