import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import { builtins } from '../../../src/functions/catalogue.ts';
import { checksResponseOnly } from '../../../src/tasks/answers.ts';
import { readRow } from '../../../src/tasks/reading.ts';

const question = (more: Readonly<Record<string, Json>>) =>
  readRow({ prompt: 'What is the capital of France?', gym: 'qa', ...more });
const calls = (more: Readonly<Record<string, Json>>) =>
  question(more).evaluate.map(({ function: name, args }) => [name, ...args]);

describe('the answer of a question without evaluate', () => {
  it.each<[Readonly<Record<string, Json>>, Json]>([
    [{ target: 'Paris' }, ['response_includes', 'Paris']],
    [{ target: 42 }, ['response_includes', '42']],
    [{ target: ['Paris', 'France'] }, ['match_all', ['Paris', 'France']]],
    [{ metadata: { answer: 'Paris' } }, ['response_includes', 'Paris']],
    [{ metadata: { answers: ['Paris', 'Lutetia'] } }, ['match_all', ['Paris', 'Lutetia']]],
    [{ metadata: { target: 'Paris' }, evaluate: [] }, ['response_includes', 'Paris']],
    [{ target: 'Paris', metadata: { answer: 'Rome' } }, ['response_includes', 'Paris']],
  ])('%j is judged by %j', (more, call) => {
    expect(calls(more)).toEqual([call]);
    const [problem] = question(more).problems;
    expect(problem).toMatchObject({ severity: 'warning', code: 'answer-key' });
    expect(problem?.message).toContain('HUD 0.2.10');
    expect(problem?.fixes?.[0]?.changes[0]).toEqual({ set: ['evaluate'], value: call });
  });

  it.each<Readonly<Record<string, Json>>>([
    { target: '' },
    { target: [] },
    { target: ['Paris', {}] },
    { metadata: { answer: true } },
    { gym: 'hud-browser', metadata: { answer: 'Paris' } },
    {},
  ])('%j has none', (more) => {
    expect(calls(more)).toEqual([]);
  });

  it('makes a task that names no environment a question', () => {
    expect(readRow({ prompt: 'What is the capital of France?', target: 'Paris' }).fields.env.type).toBe('qa');
  });

  it('is not read beside an evaluate or a reward function, readable or not', () => {
    expect(calls({ target: 'Paris', evaluate: ['response_is', 'Rome'] })).toEqual([['response_is', 'Rome']]);
    expect(calls({ target: 'Paris', reward_fn: "check_exact_match('Rome')" })).toEqual([['exact_match', 'Rome']]);
    expect(calls({ target: 'Paris', evaluate: 5 })).toEqual([]);
    expect(question({ target: 'Paris', evaluate: ['response_is', 'Rome'] }).problems).toEqual([
      expect.objectContaining({ code: 'answer-key', path: ['target'] }),
    ]);
    // What stands in metadata may be there for other reasons.
    expect(question({ metadata: { answer: 'Rome' }, evaluate: ['response_is', 'Rome'] }).problems).toEqual([]);
  });
});

it('functions that inspect only the response are recognized by name', () => {
  const needsNoPage = builtins.filter(
    ({ phase, needs, name }) => phase === 'evaluate' && needs.length === 0 && name !== 'raw_last_action_is',
  );
  expect(builtins.filter(({ name }) => checksResponseOnly(name))).toEqual(needsNoPage);
});
