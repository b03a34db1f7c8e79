import { describe, expect, it } from 'vitest';
import { compilePattern, findPattern, hasNestedRepeats, PatternLimit } from '../../../src/functions/pattern.ts';
import { recorded } from '../actions/fixtures.ts';

interface RecordedPattern {
  pattern: string;
  found?: (string | null)[];
  error?: string;
}

const [head, ...rows] = recorded<RecordedPattern & { texts: string[] }>('functions', 'patterns.jsonl');
const texts = head?.texts ?? [];

describe("patterns match what Python's re matches", () => {
  it.each(rows.filter((row) => row.found))('$pattern has the same matches', ({ pattern, found }) => {
    const compiled = compilePattern(pattern);
    if (!compiled.ok) {
      expect(compiled.problem).toBe('untranslatable');
      expect(pattern).toMatch(/\\N\{|\(\?\(/);
      return;
    }
    expect(findPattern(pattern, texts).map((text) => text ?? null)).toEqual(found);
  });

  it.each(rows.filter((row) => row.error))('$pattern is rejected', ({ pattern }) => {
    expect(compilePattern(pattern)).toMatchObject({ ok: false, message: expect.stringMatching(/cannot be parsed: ./) });
  });

  it('reports the problem and its position', () => {
    expect(compilePattern('a(b')).toMatchObject({
      problem: 'invalid',
      message: 'the pattern cannot be parsed: missing ), unterminated subpattern at position 1',
    });
    expect(compilePattern('(a)(?(1)b|c)')).toMatchObject({ problem: 'untranslatable' });
  });

  it.each(['(?a:\\W)', '(?a:(?:)(\\W)x)', '(?a:[^\\w]|b)', '(?a)(?u:\\w)', '(?s)(?a:[\\W_][^a]{1,})'])(
    'leaves %s to Python, which searches for its first character with other flags',
    (pattern) => {
      expect(compilePattern(pattern)).toMatchObject({ problem: 'untranslatable' });
    },
  );

  it.each([
    ['(?a:\\W+)', 'aé!', 'é!'],
    ['(?a:\\w)', 'éa', 'a'],
    ['a(?a:\\W)', 'éaé', 'aé'],
    ['(?a)\\W', 'é', 'é'],
    ['(?a:(?=\\W).)', 'é', 'é'],
  ])('reads %s, of which that is not so', (pattern, text, found) => {
    expect(findPattern(pattern, [text])).toEqual([found]);
  });

  it('stops a pattern with catastrophic backtracking', () => {
    expect(() => findPattern('(a+)+$', [`${'a'.repeat(60)}!`])).toThrow(PatternLimit);
    expect(() => findPattern('(a+)+$', [`${'a'.repeat(60)}!`])).toThrow(/ran for more than 2 s/);
  });

  it('stops a pattern that is too deep for the stack', () => {
    expect(() => findPattern('(?:x|y)*z', ['xy'.repeat(5_000_000)])).toThrow(PatternLimit);
  });

  it.each(['(a+)+', '(a*)*b', '(\\w+\\s?)*$', '^(?:.*)+$', '(a|b+)+', '((a+)?)*', '(?:[a-z]+|\\d)+!', '(.*,?)*x'])(
    'finds a repeat in a repeat: %s',
    (pattern) => expect(hasNestedRepeats(pattern)).toBe(true),
  );

  it.each([
    '(\\w+,)+',
    '(a{2,3})+',
    'a+b+',
    '(a+)?',
    '(a+){2}',
    '(?>a+)+',
    '(a+)++',
    '(\\d+\\.)*\\d+',
    '(?:ab)+',
    '(?=a+)*b',
    'total.*42',
  ])('finds no repeat in a repeat: %s', (pattern) => expect(hasNestedRepeats(pattern)).toBe(false));
});
