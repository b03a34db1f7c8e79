import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeCharacter } from '../../../src/base/characters.ts';
import {
  findLookAlike,
  firstDifference,
  looksAlike,
  outline,
  outlinePattern,
  placeOf,
} from '../../../src/base/look-alikes.ts';

describe('texts that look alike', () => {
  it.each([
    ['New York', 'New\u00a0York'],
    ['New York', 'New  York'],
    ['New York', 'New\tYork'],
    ['New York', 'New York\n'],
    ['a\nb', 'a\r\nb'],
    ['a\nb', 'a \nb'],
    ['New York', 'New \u200bYork'],
    ['New York', '\ufeffNew York'],
    ['cooperate', 'co\u00adoperate'],
    ['x', 'x\u200e'],
    ['ab', 'a\u0007b'],
    ["don't", 'don’t'],
    ['"a"', '“a”'],
    ['e-mail', 'e\u2011mail'],
    ['1-2', '1–2'],
    ['a...', 'a…'],
    ['ABC', 'ＡＢＣ'],
    ['paypal', 'p\u0430ypal'],
    ['Café', 'Cafe\u0301'],
    ['é', '\u0435\u0301'],
    ['한국', '한국'.normalize('NFD')],
    ['❤', '❤\ufe0f'],
  ])('%j and %j', (a, b) => {
    expect(looksAlike(a, b)).toBe(true);
    expect(looksAlike(b, a)).toBe(true);
    expect(firstDifference(a, b)).not.toBeNull();
  });

  it.each([
    ['New York', 'NewYork'],
    ['New York', 'new york'],
    ['Café', 'Cafe'],
    ['a,b', 'a.b'],
    ['ж', 'x'],
  ])('are not %j and %j', (a, b) => {
    expect(looksAlike(a, b)).toBe(false);
  });

  it('may ignore case, also of letters from another script', () => {
    expect(looksAlike('HELLO', '\u041dello', true)).toBe(true);
    expect(looksAlike('HELLO', '\u041dello')).toBe(false);
  });
});

describe('a place that looks like a text', () => {
  it.each<[string, string, number | null]>([
    ['New York', 'I live in New\u00a0York.', 10],
    ['\tgo build', 'build:\n    go build\n', 7],
    ['    go build', 'build:\n\n\tgo build\n', 8],
    ['a b', '  x\u200b  a\u00a0b', 6],
    ['total: ', 'total:\n', 0],
    ['.b', '…b', 0],
    ['foo\nbar', 'baz\r\nfoo  \r\nbar', 5],
    ['York', 'New Pork', null],
    ['\u200b', 'x', null],
  ])('%j in %j is at %j', (part, text, at) => {
    expect(findLookAlike([part], text)?.at ?? null).toBe(at);
  });

  it('is at the same offset as the text itself in any text without ambiguous ends', () => {
    const piece = fc.constantFrom('a', 'é', 'e\u0301', ' ', '  ', '\u00a0', '\n', '\r\n', '\u200b', '…', 'ﬁ', '\u0430');
    const text = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(findLookAlike(['#x\u00a0y#'], `${before}#x y#${after}`)?.at).toBe(before.length);
      }),
    );
  });
});

it('texts of more than a million characters are not compared by their look', () => {
  const text = 'a\u00a0'.repeat(500_001);
  expect(findLookAlike(['a a'], text)).toBeNull();
  expect(looksAlike('a a', text)).toBe(false);
  expect(findLookAlike(['a a'], text.slice(2))).toEqual({ part: 'a a', at: 0 });
});

it('a difference is that of whole characters, with its place', () => {
  expect(firstDifference('Café', 'Cafe\u0301')).toEqual({ at: 3, actual: 'e\u0301', expected: 'é' });
  expect(firstDifference('😀', '😁')).toEqual({ at: 0, actual: '😁', expected: '😀' });
  expect(firstDifference('ab', 'a')).toEqual({ at: 1, actual: '', expected: 'b' });
  expect(firstDifference('A b', 'a\tB', 0, true)).toEqual({ at: 1, actual: '\t', expected: ' ' });
  expect(firstDifference('b', 'ab', 1)).toBeNull();
  expect(placeOf('a\r\n😀x', 5)).toBe('line 2, character 2');
});

it.each([
  [' ', 'a space'],
  ['\u00a0', 'U+00A0 NO-BREAK SPACE'],
  ['\t', 'U+0009 TAB'],
  ['’', 'U+2019 RIGHT SINGLE QUOTATION MARK'],
  ['Y', '“Y”'],
  ['ж', '“ж” (U+0436)'],
  ['Ａ', '“Ａ” (U+FF21, full-width)'],
  ['e\u0301', '“e\u0301” (U+0065 U+0301)'],
  ['\u0007', 'U+0007 (a control character)'],
  ['\u{e0020}', 'U+E0020 (invisible)'],
  ['\u0301', 'U+0301 (a combining mark)'],
])('The character %j is described as %s', (character, text) => {
  expect(describeCharacter(character)).toBe(text);
});

it('the outline of a pattern keeps its syntax', () => {
  expect(outlinePattern('总计（3）\\s\\.  \\r\\n’', 'lines').text).toBe("总计\\(3\\)\\s\\.\n'");
  expect(outline('总计（3） . \r\n’', 'lines').text).toBe("总计(3) .\n'");
});
