import { describe, expect, it } from 'vitest';
import { normaliseAction } from '../../../src/actions/normalise.ts';
import type { Json } from '../../../src/base/json.ts';
import { verdictLines } from '../../../src/cli/report.ts';
import type { FunctionContext } from '../../../src/functions/declaration.ts';
import { runCall } from '../../../src/functions/evaluate.ts';
import { NO_USER_FUNCTIONS } from '../../../src/functions/user/load.ts';
import { lineText } from '../../../src/presentation/runs/call-tracking.ts';
import { reasonsOf } from '../../../src/results/reasons.ts';
import { junit } from '../../../src/runs/job/junit.ts';
import type { RunRecord } from '../../../src/traces/trace.ts';

const reasonOf = async (name: string, args: readonly Json[], context: object): Promise<string> => {
  const whole = { response: null, actions: [], actionTimeout: 0, ...context } as FunctionContext;
  const result = await runCall({ function: name, args }, 'evaluate', whole, NO_USER_FUNCTIONS);
  if ('error' in result) throw new Error(result.error.message);
  expect(result.value).toBeLessThan(1);
  return result.reason;
};

const NBSP = 'character 4 is U+00A0 NO-BREAK SPACE, expected a space';

describe('the reason of response_is', () => {
  it.each([
    ['New York', 'New\u00a0York', NBSP],
    ['New\u00a0York', 'New York', 'character 4 is a space, expected U+00A0 NO-BREAK SPACE'],
    ['New York', 'New  York', 'character 5 is a space, expected “Y”'],
    ['New York', 'New\tYork', 'character 4 is U+0009 TAB, expected a space'],
    ['a\nb', 'a\r\nb', 'character 2 is U+000D CARRIAGE RETURN, expected U+000A LINE FEED'],
    ['New York', 'New York\n', 'character 9 is U+000A LINE FEED, expected the end'],
    ['New York ', 'New York', 'character 9 is missing, expected a space'],
    ['New York', 'N\u200bew York', 'character 2 is U+200B ZERO WIDTH SPACE, expected “e”'],
    ['New York', 'New\u202e York', 'character 4 is U+202E RIGHT-TO-LEFT OVERRIDE, expected a space'],
    ['a b', 'a\u2009b', 'character 2 is U+2009 THIN SPACE, expected a space'],
    ['1\na b', '1\na\u00a0b', 'line 2, character 2 is U+00A0 NO-BREAK SPACE, expected a space'],
    ["don't", 'don’t', 'character 4 is U+2019 RIGHT SINGLE QUOTATION MARK, expected U+0027 APOSTROPHE'],
    ['paypal', 'p\u0430ypal', 'character 2 is U+0430 CYRILLIC SMALL LETTER A, expected “a”'],
    [
      'Café',
      'Cafe\u0301',
      'different Unicode normalization: character 4 is “e\u0301” (U+0065 U+0301), expected “é” (U+00E9)',
    ],
    [`${'x'.repeat(99)}a`, `${'x'.repeat(99)}b`, 'character 100 is “b”, expected “a”'],
  ])('%j against %j begins with the difference', async (expected, response, difference) => {
    const reason = await reasonOf('response_is', [expected], { response });
    expect(reason.startsWith(`${difference}; expected “`)).toBe(true);
  });

  it('names no difference that the quotes show', async () => {
    expect(await reasonOf('response_is', ['Paris'], { response: 'London' })).toBe(
      'expected “Paris”, the response is “London”',
    );
  });
});

const action = (input: string, typed: string | null = null) => ({
  input,
  normalised: normaliseAction(input).actions[0] ?? null,
  error: null,
  typed,
  matches: async () => true,
});
const record = (typed: string) => action(`fill('#city', '${typed}')`, typed);
const files = (text: string) => ({ workspace: { read: async () => Buffer.from(text) } });
const change = (text: string, path = 'a.txt') => ({ path, kind: 'added', before: null, after: Buffer.from(text) });
const page = (text: string) => ({ fact: { page: { text, hiddenTexts: [], shownElements: [] } } });
const cookies = (name: string, value: string) => ({
  page: { context: () => ({ cookies: async () => [{ name, value }] }) },
});
const desktop = (text: string) => ({
  desktop: { windows: async () => [{ title: text, app: 'mail' }], clipboard: async () => text },
});
const episode = (at: Json) => ({ episode: { observation: { at }, state: async () => ({ at }), totalReward: 0 } });
const response = (text: string) => ({ response: text });

describe('the reason of a function that compares texts', () => {
  it.each<[string, Json[], object, string]>([
    [
      'response_includes',
      ['New York'],
      response('In New\u00a0York'),
      'character 7 is U+00A0 NO-BREAK SPACE, expected a space',
    ],
    ['response_includes', [['New York', 'Rome']], response('New\u00a0York'), `“New York”: ${NBSP}`],
    ['response_includes', ['total: '], response('total:\n1'), 'character 7 is U+000A LINE FEED, expected a space'],
    ['response_match', ['New York'], response('New\u00a0York'), NBSP],
    ['match_regex', ['New York'], response('New\u00a0York'), NBSP],
    ['match_single', ['new york '], response('New\u00a0York'), NBSP],
    ['match_all', [['new york', 'new']], response('New\u00a0York'), `1 of 2 found; ${NBSP}`],
    ['match_fuzzy', ['new york'], response('New\u00a0York'), NBSP],
    ['match_diff', ['New York'], response('New\u00a0York'), NBSP],
    [
      'exact_match',
      ['New York'],
      response('New Y\u043erk'),
      'character 6 is U+043E CYRILLIC SMALL LETTER O, expected “o”',
    ],
    ['exact_match', ['New York', false], response('New\u00a0York'), NBSP],
    [
      'f1_score',
      ['New York'],
      response('New Y\u043erk'),
      'character 6 is U+043E CYRILLIC SMALL LETTER O, expected “o”',
    ],
    ['contains', ['new york'], response('New\u00a0York'), NBSP],
    ['contains', ['New York', true], response('New\u00a0York'), NBSP],
    ['contains_any', [['Rome', 'new york']], response('New\u00a0York'), `“new york”: ${NBSP}`],
    ['contains_all', [['new', 'new york']], response('New\u00a0York'), NBSP],
    [
      'file_contains',
      ['Makefile', '    go build'],
      files('build:\n\tgo build\n'),
      'line 2, character 1 is U+0009 TAB, expected a space',
    ],
    [
      'file_contains',
      ['Makefile', '\tgo build'],
      files('build:\n    go build\n'),
      'line 2, character 1 is a space, expected U+0009 TAB',
    ],
    [
      'file_contains',
      ['a.txt', 'one\ntwo'],
      files('one\r\ntwo\r\n'),
      'character 4 is U+000D CARRIAGE RETURN, expected U+000A LINE FEED',
    ],
    [
      'command_output_matches',
      ['make', '^done$'],
      { workspace: { run: async () => ({ exitCode: 0, timedOut: false, output: 'done\r\n' }) } },
      'character 5 is U+000D CARRIAGE RETURN; the pattern matches without it',
    ],
    [
      'diff_matches',
      ['(?m)^\\+done$'],
      { workspace: { changes: async () => [change('done\r\n')] } },
      'line 4, character 6 is U+000D CARRIAGE RETURN; the pattern matches without it',
    ],
    [
      'file_exists',
      ['Café.txt'],
      { workspace: { read: async () => null, changes: async () => [change('x', 'Cafe\u0301.txt')] } },
      'different Unicode normalization: character 4 is “e\u0301” (U+0065 U+0301), expected “é” (U+00E9)',
    ],
    [
      'page_contains',
      ["Don't panic"],
      page('The guide says: Don’t panic'),
      'character 4 is U+2019 RIGHT SINGLE QUOTATION MARK, expected U+0027 APOSTROPHE; not on the page',
    ],
    [
      'text_matches',
      ['p', 'New York $'],
      { fact: { texts: ['New York'], names: [] } },
      'character 9 of the pattern is a space; without white space around it, the pattern matches',
    ],
    ['url_match', ['http://shop.test/a\u200b'], { fact: 'http://shop.test/a' }, 'character 19 is missing, expected'],
    ['url_contains', ['cart '], { fact: 'http://shop.test/cart' }, 'character 22 is missing, expected a space'],
    ['cookie_exists', ['sid '], cookies('sid', 'x'), 'character 4 is missing, expected a space'],
    ['cookie_match', ['city', 'New York'], cookies('city', 'New\u00a0York'), NBSP],
    ['verify_type_action', ['#city', 'New York'], { page: {}, actions: [record('New\u00a0York')] }, NBSP],
    ['raw_last_action_is', ["fill('#city', 'New York')"], { actions: [record('New\u00a0York')] }, NBSP],
    [
      'raw_last_action_is',
      ["click('#a')"],
      { actions: [action("click('#\u0430')")] },
      'character 9 is U+0430 CYRILLIC SMALL LETTER A, expected “a”',
    ],
    ['window_exists', ['new york'], desktop('New\u00a0York'), NBSP],
    ['clipboard_is', ['New York'], desktop('New\u00a0York'), NBSP],
    ['observation_matches', ['at', 'New York'], episode('New\u00a0York'), NBSP],
    ['state_matches', ['at', 5], episode('5'), 'the value has the type string, expected number'],
  ])('%s %j', async (name, args, context, difference) => {
    const reason = await reasonOf(name, args, context);
    expect(reason.slice(0, difference.length)).toBe(difference);
  });
});

describe('the reason of a pattern', () => {
  it.each([
    [
      'New York ',
      'New York',
      'character 9 of the pattern is a space; without white space around it, the pattern matches',
    ],
    ['^ New York', 'New York', 'character 2 of the pattern is a space; without white space around it'],
    ['New\u00a0York \\d', 'New York 5', 'character 4 of the pattern is U+00A0 NO-BREAK SPACE, expected a space'],
    ['New  York', 'New York', 'character 5 of the pattern is a space; the pattern matches without it'],
    ['A\\r\\nB', 'A\nB', 'character 2 of the pattern is U+000D CARRIAGE RETURN; the pattern matches without it'],
    ['^done$', 'done ', 'character 5 is a space; the pattern matches without it'],
    ['^\\w+$', 'ab\u200b', 'character 3 is U+200B ZERO WIDTH SPACE; the pattern matches without it'],
    ['(?m)^done$', 'a\r\ndone\r\nb', 'line 2, character 5 is U+000D CARRIAGE RETURN; the pattern matches without it'],
    ['a\\s+b c', 'a  b\u00a0c', 'character 5 is U+00A0 NO-BREAK SPACE, expected a space'],
    ['计（3）', '计(3)', 'character 2 of the pattern is “（” (U+FF08, full-width), expected “(”'],
    ['计\\(3\\)', '计（3）', 'character 2 is “（” (U+FF08, full-width), expected “(”'],
  ])('%j that would match a text that looks like %j', async (pattern, text, difference) => {
    const reason = await reasonOf('response_match', [pattern], { response: text });
    expect(reason.slice(0, difference.length)).toBe(difference);
  });

  it('is the same as ever for another text', async () => {
    expect(await reasonOf('response_match', ['^Paris$'], { response: 'in  Lon\u200bdon ' })).toBe(
      'the pattern “^Paris$” does not match the response “in Lon\u200bdon”',
    );
  });
});

it('a difference can be read in the command line, inline values, lists, and JUnit', async () => {
  const reason = await reasonOf('response_is', ['x'.repeat(300)], { response: `${'x'.repeat(299)}\u200b\tx` });
  const difference = 'character 300 is U+200B ZERO WIDTH SPACE, expected “x”';
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
  const grade = {
    reward: 0,
    done: true,
    content: null,
    info: {},
    is_error: false,
    subscores: [{ name: 'response_is("x")', value: 0, weight: 1, reason, range }],
  };
  const run = { status: 'completed', success: false, reward: 0, error: null, steps: 1, duration_ms: 1, grade };
  const whole = { ...run, run_id: 'r', task_id: 't', file: 'a.json', started_at: '' } as unknown as RunRecord;
  expect(lineText({ kind: 'failed', mark: '✗', reason })).toContain(difference);
  expect(reasonsOf(whole)).toContain(difference);
  expect(verdictLines(whole, (_, text) => text).join('\n')).toContain(difference);
  expect(junit('job', [whole])).toContain(difference);
});
