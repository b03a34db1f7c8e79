import { describe, expect, it } from 'vitest';
import { messageParts, withoutCodeMarks } from '../../../src/results/code-spans.ts';

describe('a message', () => {
  it('has code between backticks', () => {
    expect(messageParts('no element matches `#a`; did you mean `#b`?')).toEqual([
      { text: 'no element matches ', isCode: false },
      { text: '#a', isCode: true },
      { text: '; did you mean ', isCode: false },
      { text: '#b', isCode: true },
      { text: '?', isCode: false },
    ]);
    expect(messageParts('')).toEqual([]);
  });

  it.each([
    ['`goto` failed: no page', 'goto failed: no page'],
    ['the text of `[a="b"]` is “run `npm i`”', 'the text of [a="b"] is “run `npm i`”'],
    ['“unknown `a`" is not `b`', '“unknown a" is not b'],
    ['invalid JSON: "a `b` \\" `c`" at `d`', 'invalid JSON: "a `b` \\" `c`" at d'],
    ['one ` alone', 'one ` alone'],
    ['`` is empty', '`` is empty'],
    ['`over\ntwo lines`', '`over\ntwo lines`'],
  ])('in plain text has no marks of code, but the backticks of its values: %j', (message, shown) => {
    expect(withoutCodeMarks(message)).toBe(shown);
  });
});
