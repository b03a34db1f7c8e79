import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../../src/base/json.ts';
import { rewardOfScenario, rewardOfTool, type ToolResult } from '../../../../src/environments/mcp/reward.ts';

interface Recorded {
  readonly hud: string;
  readonly in: ToolResult;
  readonly out?: Json;
}

const recorded = readFileSync(join(import.meta.dirname, '../../../fixtures/hud/find-reward.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded);

describe('the reward of an evaluate tool', () => {
  it.each(recorded.map((one) => ({ ...one, name: JSON.stringify(one.in) })))(
    '$hud $name is what HUD reads, or an error where it reads none',
    ({ in: given, out }) => {
      const read = rewardOfTool('evaluate', given);
      // HUD counts 0 where there is nothing to read; no recorded result says 0 itself.
      const none = out === undefined || out === null || out === 0 || given.isError === true;
      if (none) expect(read).toEqual({ error: { code: expect.any(String), message: expect.any(String) } });
      else expect(read).toMatchObject({ value: out });
    },
  );

  const structured = (structuredContent: Json): ToolResult => ({ content: [], structuredContent });

  it('takes numbers as text and booleans, as HUD’s traces do', () => {
    expect(rewardOfTool('e', structured({ reward: '0.5' }))).toMatchObject({ value: 0.5 });
    expect(rewardOfTool('e', structured({ grade: true }))).toMatchObject({ value: 1 });
    expect(rewardOfTool('e', structured({ score: false }))).toMatchObject({ value: 0 });
    expect(rewardOfTool('e', structured({ reward: 0 }))).toMatchObject({ value: 0 });
    // Python's `float` reads these too.
    expect(rewardOfTool('e', structured({ reward: '1_0e-1' }))).toMatchObject({ value: 1 });
    expect(rewardOfTool('e', structured({ reward: '٠.٥\u0085' }))).toMatchObject({ value: 0.5 });
  });

  it('is searched for in the JSON of Python, whose NaN is none', () => {
    const content = ['{"reward": NaN}', '{"reward": 1}'].map((text) => ({ type: 'text', text }));
    expect(rewardOfTool('e', { content })).toEqual({
      error: { code: 'call_returned_nothing', message: expect.stringMatching(/The "reward" of `e` is no number/) },
    });
  });

  it.each([
    [{ reward: 'high' }, /The "reward" of `e` is no number. It returned .*high/],
    [{ reward: '' }, /no number/],
    [{ reward: '0x1' }, /no number/],
    [{ reward: [1] }, /no number/],
    [{ reward: null, score: 0.3 }, /The "reward" of `e` is no number. It returned .*null/],
    [{ result: 1 }, /has no reward. HUD counts that as 0; .* It returned .*result/],
    [{ subscores: { a: 1 }, weights: { a: 'much' } }, /has no reward/],
    [null, /has no reward/],
  ] as const)('says what came in the place of a reward: %j', (content, message) => {
    expect(rewardOfTool('e', structured(content))).toEqual({
      error: { code: 'call_returned_nothing', message: expect.stringMatching(message) },
    });
  });

  it('says with which words a tool failed', () => {
    const result = { content: [{ type: 'text', text: 'board not set up' }], isError: true };
    expect(rewardOfTool('e', result)).toEqual({
      error: { code: 'call_threw', message: 'The tool `e` failed: board not set up.' },
    });
  });

  it('adds up subscores by their weights', () => {
    const read = rewardOfTool('e', structured({ subscores: { a: 1, b: 0.5, c: 1 }, weights: { a: 0.5, b: 0.5 } }));
    expect(read).toMatchObject({ value: 0.75, parts: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] });
  });

  it('gives the words of the evaluation as the reason', () => {
    expect(rewardOfTool('e', structured({ reward: 0.5, content: 'half' }))).toMatchObject({ reason: 'half' });
  });
});

describe('the grade of a scenario', () => {
  const grade = (text: string) => rewardOfScenario('count', text);

  it('has the reward, the words, and the subscores', () => {
    const text =
      '{"reward": 0.5, "done": true, "content": "half", "info": {}, "isError": false, "subscores": [{"name": "a", "weight": 0.5, "value": 1.0}, {"name": "b", "weight": 0.5, "value": 0.0}]}';
    expect(grade(text)).toEqual({
      value: 0.5,
      reason: 'half',
      parts: [
        { name: 'a', value: 1, reason: 'weight 0.5' },
        { name: 'b', value: 0, reason: 'weight 0.5' },
      ],
    });
  });

  it.each([
    ['{"reward": 0.0, "done": true, "info": {}, "isError": true}', 'call_threw', /yielded no usable grade/],
    ['{"reward": NaN, "done": true, "info": {}, "isError": false}', 'call_returned_nothing', /is no number. .*NaN/],
    ['{"reward": 0.0, "done": true, "isError": false, "score": 0.25}', 'call_returned_nothing', /yielded "score"/],
    ['{"done": true}', 'call_returned_nothing', /has no reward/],
    ['[1]', 'call_returned_nothing', /cannot be read/],
    ['', 'call_returned_nothing', /cannot be read/],
  ])('is an error where HUD would count 0: %s', (text, code, message) => {
    expect(grade(text)).toEqual({ error: { code, message: expect.stringMatching(message) } });
  });

  it('of 0 counts as 0', () => {
    expect(grade('{"reward": 0.0, "done": true, "info": {}, "isError": false}')).toMatchObject({ value: 0 });
  });
});
