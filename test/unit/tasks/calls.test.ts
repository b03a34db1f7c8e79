import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import { expandCalls } from '../../../src/tasks/calls.ts';
import type { Problem } from '../../../src/tasks/problem.ts';
import { parseCallString, readReward } from '../../../src/tasks/reward-call.ts';

interface Recorded {
  readonly in: Json;
  readonly out?: readonly { function: string; args: readonly Json[]; id?: string }[] | null;
  readonly error?: string;
}

const records = readFileSync(join(import.meta.dirname, '../../fixtures/hud/call-spellings-0.2.10.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded);

function expand(value: Json) {
  const problems: Problem[] = [];
  const calls = expandCalls(value, ['setup'], problems).map(({ function: name, args, id }) => ({
    function: name,
    args,
    ...(id === null ? {} : { id }),
  }));
  return { calls, problems };
}

describe('the spellings of a call, as HUD 0.2.10 expands them', () => {
  const readableRecords = records.filter(({ error }) => error === undefined);
  it.each(readableRecords.map((row) => [JSON.stringify(row.in), row] as const))('%s', (_, { in: value, out }) => {
    const { calls, problems } = expand(value);
    expect(calls).toEqual(out ?? []);
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  const rejectedRecords = records.filter(({ error }) => error !== undefined);
  it.each(rejectedRecords.map((row) => [JSON.stringify(row.in), row] as const))(
    '%s is refused there',
    (_, { in: value }) => {
      const { calls, problems } = expand(value);
      expect(problems).not.toEqual([]);
      const [problem] = problems;
      if (problem?.severity === 'warning') {
        expect(problem.message).toContain('HUD 0.2.10');
        expect(calls).not.toEqual([]);
      } else expect(problem?.severity).toBe('error');
    },
  );

  it('reads a list of lists as one call each, and reports that HUD rejects it, with a fix', () => {
    const { calls, problems } = expand([
      ['goto', 'u'],
      ['click', '#x'],
    ]);
    expect(calls).toEqual([
      { function: 'goto', args: ['u'] },
      { function: 'click', args: ['#x'] },
    ]);
    expect(problems).toMatchObject([{ severity: 'warning', code: 'list-of-lists', path: ['setup', 0, 0] }]);
    const change = problems[0]?.fixes?.[0]?.changes[0];
    expect(change).toHaveProperty('set');
    expect(expand((change as { value: Json }).value)).toEqual({ calls, problems: [] });
  });

  it('keeps the weight of a call, and rejects one that is not greater than 0', () => {
    const problems: Problem[] = [];
    const value = [
      { function: 'a', args: [], metadata: { weight: 2 } },
      { function: 'b', args: [], metadata: { weight: 0 } },
    ];
    expect(expandCalls(value, ['evaluate'], problems)[0]?.metadata).toEqual({ weight: 2 });
    expect(problems).toMatchObject([{ code: 'bad-weight', path: ['evaluate', 1, 'metadata', 'weight'] }]);
  });

  it('reports nothing that HUD accepts: arguments of any shape in an object', () => {
    expect(expand({ function: 'a', args: [['deep', [1]]] }).problems).toEqual([]);
    expect(expand(['f', [[1]]]).problems).toMatchObject([{ code: 'nested-argument', severity: 'warning' }]);
  });
});

describe("the RFC's reward function", () => {
  const read = (value: Json) => {
    const problems: Problem[] = [];
    const calls = readReward({ reward_fn: value }, problems);
    return { calls: calls.map((call) => [call.function, ...call.args]), codes: problems.map(({ code }) => code) };
  };

  it.each([
    ['page_contains("Order placed")', ['page_contains', 'Order placed']],
    ['check_page_contains("Order placed")', ['page_contains', 'Order placed']],
    ['cart_is_empty', ['cart_is_empty']],
    ['check_cart_is_empty()', ['cart_is_empty']],
    ["text_matches('#total', r'\\d+ \\'x')", ['text_matches', '#total', "\\d+ \\'x"]],
    ["text_matches('#total', r'x)", null],
    ["text_matches('#total', '\\d+, (EUR|USD)')", ['text_matches', '#total', '\\d+, (EUR|USD)']],
    ['history_length({"min": 2})', ['history_length', { min: 2 }]],
    ['page_contains(["a", \'b\',])', ['page_contains', ['a', 'b']]],
    ['f(1, -2.5, True, None, false)', ['f', 1, -2.5, true, null, false]],
    ['document.title === "x"', null],
    ['return 1', null],
    ['() => 1', null],
    ['f(g())', null],
    ['', null],
  ])('%s', (text, call) => {
    expect(read(text)).toEqual(call === null ? { calls: [], codes: ['reward-script'] } : { calls: [call], codes: [] });
  });

  it('does not let nesting exhaust the stack', () => {
    expect(parseCallString(`f(${'['.repeat(100_000)}`)).toBeNull();
  });
});
