import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import { diagnose } from '../../../src/language/findings/diagnose.ts';
import { readTasks } from '../../../src/tasks/read.ts';
import { browser, fixesOf, saidOf } from './findings.ts';

describe('every wrong argument of a call is reported', () => {
  const codes = (evaluate: Json, own: readonly string[] = []): string[] =>
    saidOf({ ...browser, evaluate }, own).map((one) => one.replace(/^\w+ (\S+) ([^:]*):.*$/, '$1 $2'));

  it.each<[Json, readonly string[]]>([
    [
      ['text_matches', 1, 2],
      ['invalid-argument 1', 'invalid-argument 2'],
    ],
    [
      ['text_matches', '#a[', '('],
      ['invalid-selector #a[', 'invalid-pattern ('],
    ],
    [
      ['text_matches', 5],
      ['missing-argument text_matches', 'invalid-argument 5'],
    ],
    [
      ['url_contains', 5, 6],
      ['invalid-argument 5', 'too-many-arguments 6'],
    ],
    [{ function: 'page_contains', args: [['a', 1, 2]] }, ['invalid-argument 1', 'invalid-argument 2']],
  ])('%j', (evaluate, expected) => {
    expect(codes(evaluate)).toEqual(expected);
  });
});

describe('a selector or pattern in another notation', () => {
  it.each<[Json, string]>([
    [['text_matches', '#a', '/x/i'], 'pattern-delimiters'],
    [['text_matches', '#a', '/\\d+/'], 'pattern-delimiters'],
    [['url_match', '/shop/\\d+/g'], 'pattern-delimiters'],
    [['element_exists', 'role=buton'], 'unknown-role buton'],
    [['element_exists', 'css=a >> role=lnk[name="x"]'], 'unknown-role'],
    [['element_exists', 'role=doc-chapter'], 'unknown-role doc-chapter'],
  ])('%j is a warning', (evaluate, expected) => {
    expect(saidOf({ ...browser, evaluate })).toEqual([expect.stringContaining(`warning ${expected}`)]);
  });

  it.each<[Json]>([
    [['url_match', '/shop/i']],
    [['text_matches', '#a', '/home/']],
    [['text_matches', '#a', 'a/b/i']],
    [['element_exists', 'role=Button[name="/x/i"]']],
  ])('%j is fine', (evaluate) => {
    expect(saidOf({ ...browser, evaluate })).toEqual([]);
  });

  it('has a fix', () => {
    const fixed = (evaluate: Json) =>
      fixesOf(diagnose(readTasks('/a.task.json', JSON.stringify({ ...browser, evaluate })), new Map())[0]);
    expect(fixed(['text_matches', '#a', '/a\\/b/gi'])).toEqual(['"(?i)a/b"']);
    expect(fixed(['element_exists', 'role=buton[name="x"]'])).toEqual(['"role=button[name=\\"x\\"]"']);
  });
});

describe('findings do not contradict each other', () => {
  it.each<[Json]>([
    [[['page_contains', 'a'], { name: 'x' }]],
    [[['page_contains', 'a'], { function: 5 }]],
    [[{ args: [] }, { function: 'page_contains', args: 'a' }]],
  ])('%j: a list with an unreadable call is not called readable', (evaluate) => {
    const all = saidOf({ ...browser, evaluate });
    expect(all.some((one) => /call-unreadable/.test(one)) && all.some((one) => /reads each as a call/.test(one))).toBe(
      false,
    );
  });

  it('about a key that is misspelled and missing', () => {
    expect(saidOf({ ...browser, evaluate: ['history_length', { least: 2 }] })).toHaveLength(1);
  });
});

describe('wrong arguments are reported with the expected and the actual value', () => {
  it.each<[Json, string]>([
    [
      ['page_contains', 5],
      'error invalid-argument 5: page_contains(text): “text” expects a string or a list of strings, found 5',
    ],
    [
      ['text_matches', '#a'],
      'error missing-argument text_matches: text_matches(selector, pattern) requires 2 arguments, found 1 argument: “pattern” is missing',
    ],
    [
      ['cookie_match', 'session'],
      'error missing-argument cookie_match: cookie_match(name, value) requires 2 arguments, found 1 argument: “value” is missing',
    ],
    [
      ['page_contains', 'a', 'b'],
      'error too-many-arguments b: page_contains(text) accepts at most 1, found 2 arguments. To pass several values, use a list: page_contains(["a","b"])',
    ],
    [
      { function: 'element_exists', args: ['#1'] },
      'error invalid-selector #1: element_exists(selector): “selector” "#1" is invalid: “#1” is not valid CSS because names cannot begin with a digit: use [id="1"]',
    ],
    [
      'response_is',
      'error missing-argument response_is: response_is(text) requires 1 argument, found none: “text” is missing',
    ],
    [
      { function: 'url_contains', args: 7 },
      'error invalid-argument 7: url_contains(text): “text” expects a string, found 7',
    ],
    [
      { function: 'history_length', args: [{ least: 2 }] },
      'error invalid-argument least: history_length(length): “length” has an unknown key: least',
    ],
  ])('%j', (evaluate, message) => {
    expect(saidOf({ ...browser, evaluate })).toEqual([message]);
  });

  it.each<[Json, string]>([
    [{ fail_to_pas: ['a'] }, 'fail_to_pas: …: “options” has an unknown key: fail_to_pas'],
    [{ fail_to_pass: 'a' }, 'a: …: “options” (fail_to_pass) expects a list, found "a"'],
    [
      { pass_to_pass: [] },
      '{"pass_to_pass":[]}: …: “options” expects at least one name in `fail_to_pass` or `pass_to_pass`, found {"pass_to_pass":[]}',
    ],
    [
      '60',
      '60: …: “options” expects a number of seconds, or an object of `fail_to_pass`, `pass_to_pass` and `timeout_s`, found "60"',
    ],
  ])('the options of tests: %j', (options, message) => {
    const evaluate = ['tests_pass', 'pytest', 'r.xml', options];
    expect(saidOf({ ...browser, gym: { type: 'coding' }, evaluate })).toEqual([
      `error invalid-argument ${message.replace('…', 'tests_pass(cmd, report?, options?)')}`,
    ]);
  });

  it('an invalid pattern is an error, and one that only Python can read is a warning', () => {
    expect(saidOf({ ...browser, evaluate: ['text_matches', 'p', '('] })).toEqual([
      expect.stringMatching(/^error invalid-pattern \(: text_matches\(selector, pattern\): “pattern” "\("/),
    ]);
  });
});

describe('a call that does not fit', () => {
  it('a setup function in evaluate, and an evaluate function in setup', () => {
    expect(saidOf({ ...browser, evaluate: ['goto', 'x'] })).toEqual([
      'error wrong-phase goto: “goto” is a function for "setup", not "evaluate"',
    ]);
  });

  it('a function that needs a page, in an environment without one', () => {
    const task = { prompt: 'p', gym: 'qa', setup: ['goto', 'x'], evaluate: ['page_contains', 'x'] };
    expect(saidOf(task)).toEqual([
      'error function-environment goto: “goto” needs a page, and the environment “qa” has none',
      'warning function-environment page_contains: “page_contains” has no effect in the environment “qa”, which has no page. Use a response function',
    ]);
  });

  it('a call written as in code', () => {
    const text = JSON.stringify({ ...browser, evaluate: "page_contains('x')" });
    const [finding] = diagnose(readTasks('/a.task.json', text), new Map());
    expect(finding).toMatchObject({ code: 'unknown-function' });
    expect(fixesOf(finding)).toEqual(['["page_contains","x"]']);
  });

  it('a function that HUD has and this version does not run', () => {
    expect(saidOf({ ...browser, evaluate: ['sheets_cell_values', { A1: 'x' }] })).toEqual([
      expect.stringMatching(/^information function-not-run sheets_cell_values: /),
    ]);
  });

  it('a list of lists that HUD can only read as calls is not reported', () => {
    expect(
      saidOf({
        ...browser,
        evaluate: [
          ['page_contains', ['a', 'b']],
          ['element_exists', '#a'],
        ],
      }),
    ).toEqual([]);
    expect(
      saidOf({
        ...browser,
        evaluate: [
          ['page_contains', 'a'],
          ['element_exists', '#a'],
        ],
      }),
    ).toEqual([expect.stringMatching(/^warning list-of-lists page_contains: /)]);
  });

  it.each<readonly [string, Json, string]>([
    ['an environment without a name', { ...browser, gym: '', evaluate: ['element_exists', '#a'] }, 'gym-unreadable'],
    ['a place without an image', { ...browser, gym: { location: 'local' } }, 'custom-gym'],
    [
      'a remote one with host settings',
      { ...browser, gym: { location: 'remote', image_or_build_context: 'a', host_config: { a: 1 } } },
      'custom-gym',
    ],
  ])('%s is one error', (_, task, code) => {
    const codes = saidOf(task).filter((line) => line.startsWith('error'));
    expect(codes).toEqual([expect.stringMatching(`^error ${code} `)]);
  });

  it('a list of lists, which HUD refuses', () => {
    expect(
      saidOf({
        ...browser,
        setup: [
          ['goto', 'u'],
          ['clik', '#x'],
        ],
        evaluate: ['page_contains', 'x'],
      }),
    ).toEqual([
      expect.stringMatching(/^warning list-of-lists goto: HUD 0\.2\.10 rejects a list of lists/),
      'error unknown-function clik: Unknown function “clik”. Did you mean “click”?',
    ]);
  });
});
