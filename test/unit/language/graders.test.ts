import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import { diagnose } from '../../../src/language/findings/diagnose.ts';
import { functionDoc } from '../../../src/language/typing/hover.ts';
import { readTasks } from '../../../src/tasks/read.ts';
import { accept, labels } from './typing.ts';
import { userFunctionsNamed } from './user-functions.ts';

const json = '/tasks/a.task.json';

/** What is said of a question: code and the text that it stands under. */
function listFindings(more: Readonly<Record<string, Json>>, own: readonly string[] = []): string[] {
  const text = JSON.stringify({ id: 'q', prompt: 'What is the capital of France?', gym: 'qa', ...more });
  const file = readTasks(json, text);
  return diagnose(file, userFunctionsNamed(...own)).map(
    ({ severity, code, range }) => `${severity} ${code} ${text.slice(range.start.character, range.end.character)}`,
  );
}

describe('a check of an answer', () => {
  it.each<[Json, string[]]>([
    [['exact_match', 'Paris'], []],
    [['exact_match', 42, false], []],
    [['contains_any', ['Paris', 'Lutetia'], true], []],
    [{ function: 'match_all', args: ['a', 'b', 'c'] }, []],
    [['numeric_match', '42'], ['error invalid-argument 42']],
    [['numeric_match', 42, '0.5'], ['error invalid-argument 0.5']],
    [['contains', 42], ['error invalid-argument 42']],
    [['contains'], ['error missing-argument contains']],
    [['contains_any', ['a', 1]], ['error invalid-argument 1']],
    [['f1_score', 'Ada', 'Lovelace'], ['error too-many-arguments Lovelace']],
    [['match_regex', '('], ['error invalid-pattern (']],
    [['match_regex', '(a)?(?(1)b|c)'], ['warning pattern-untranslatable (a)?(?(1)b|c)']],
    [['match_regex', '(a+)+'], ['warning slow-pattern (a+)+']],
    [['exact_matches', 'Paris'], ['error unknown-function exact_matches']],
  ])('%j', (evaluate, expected) => {
    expect(listFindings({ evaluate })).toEqual(expected);
  });

  it.each<[string, Json]>([
    ['always-true', ['contains', '']],
    ['always-true', ['contains_all', []]],
    ['always-true', ['contains_all', ['', '']]],
    ['always-true', ['contains_any', ['Paris', '']]],
    ['always-true', ['match_all', ['']]],
    ['always-true', ['match_single', '  ']],
    ['always-true', ['match_regex', '.*']],
    ['never-true', ['contains_any', []]],
    ['never-true', ['match_all', []]],
    ['never-true', ['f1_score', 'The!']],
    ['never-true', ['numeric_match', 3, -1]],
    ['letters-of-text', ['contains_any', 'Paris']],
    ['letters-of-text', ['contains_all', 'Paris']],
    ['letters-of-text', ['match_all', 'Paris']],
  ])('%s: %j', (code, evaluate) => {
    expect(listFindings({ evaluate })).toEqual([expect.stringContaining(`warning ${code} `)]);
  });

  it('is reported if the prompt contains its answer', () => {
    const prompt = 'The capital of France is Paris. What is the capital of France?';
    for (const name of ['exact_match', 'contains', 'match_single'])
      expect(listFindings({ prompt, evaluate: [name, 'Paris'] })).toEqual(['warning answer-in-prompt Paris']);
    expect(listFindings({ prompt, target: 'Paris' })).toEqual([
      'warning answer-key Paris',
      'warning answer-in-prompt Paris',
    ]);
  });

  it('that is user-defined and named check_… is reported, because a reward function reads that name differently', () => {
    expect(listFindings({ reward_fn: "check_cart('x')" }, ['check_cart'])).toEqual([
      'error unknown-function check_cart',
    ]);
    expect(listFindings({ reward_fn: "check_cart('x')" }, ['cart'])).toEqual([]);
  });

  it('has completion and hover like any other', async () => {
    const task = (call: string) => `{"prompt": "p", "gym": "qa", "evaluate": ${call}}`;
    expect(await labels(json, task('["|"]'))).toEqual(expect.arrayContaining(['exact_match', 'match_fuzzy']));
    expect(await accept(json, task('["numeric|"]'), 'numeric_match')).toContain('["numeric_match", ${1:0}]');
    expect(await accept(json, task('["contains_a|"]'), 'contains_any')).toContain('["contains_any", ["${1:text}"]]');
    expect(functionDoc('f1_score', userFunctionsNamed())).toContain('f1_score(reference)');
  });
});
