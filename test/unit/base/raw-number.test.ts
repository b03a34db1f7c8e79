import { describe, expect, it } from 'vitest';
import { isObject } from '../../../src/base/json.ts';
import { digitsOf, exactNumber, isRawNumber, nearestNumber, parseExactJson } from '../../../src/base/raw-number.ts';
import { hasRawNumbers, nearestNumbers, rawNumbersIn } from '../../../src/base/raw-numbers-in.ts';

const read = (text: string): string => {
  const number = exactNumber(text, Number(text));
  return `${isRawNumber(number) ? 'raw' : 'plain'} ${digitsOf(number)}`;
};

describe('a number keeps its digits', () => {
  it.each([
    ['0', 'plain 0'],
    ['-0', 'plain 0'],
    ['1.50', 'plain 1.5'],
    ['9007199254740991', 'plain 9007199254740991'],
    ['9007199254740993', 'raw 9007199254740993'],
    ['-9007199254740993', 'raw -9007199254740993'],
    ['1610521604143693812', 'raw 1610521604143693812'],
    ['12345678901234567890', 'raw 12345678901234567890'],
    ['123456789012345678901234567890', 'raw 123456789012345678901234567890'],
    // 2^60 is exact, although JavaScript prints it as 1152921504606847000.
    ['1152921504606846976', 'plain 1152921504606846976'],
    ['1e-400', 'raw 1e-400'],
    ['-1.5E-400', 'raw -1.5E-400'],
    ['5e-324', 'plain 5e-324'],
    ['0e-400', 'plain 0'],
    ['1e300', 'plain 1e+300'],
    ['1e23', 'plain 1e+23'],
    ['9007199254740993.0', 'raw 9007199254740993.0'],
    ['-1.610521604143693813e18', 'raw -1.610521604143693813e18'],
    ['1.152921504606846976e+18', 'plain 1152921504606846976'],
    ['0.1e17', 'plain 10000000000000000'],
    ['9007199254740993.', 'raw 9007199254740993.0'],
    ['3.14159265358979323846', 'plain 3.141592653589793'],
  ])('%s', (text, expectation) => {
    expect(read(text)).toBe(expectation);
  });

  it.each([
    ['0xFFFFFFFFFFFFFFFF', '18446744073709551615'],
    ['-0x20000000000001', '-9007199254740993'],
    ['0o400000000000000001', '9007199254740993'],
    ['0b100000000000000000000000000000000000000000000000000001', '9007199254740993'],
    ['+9007199254740993', '9007199254740993'],
    ['+.5e-400', '0.5e-400'],
    ['5.e-400', '5e-400'],
    ['5.00e-400', '5e-400'],
  ])('of the form %s of other formats', (text, digits) => {
    const value = text.startsWith('-0x') ? -Number(text.slice(1)) : Number(text);
    expect(digitsOf(exactNumber(text, value))).toBe(digits);
    expect(JSON.stringify(exactNumber(text, value))).toBe(digits);
  });
});

describe('raw numbers in a value', () => {
  const value = parseExactJson('{"a": [1, 9007199254740993], "b": {"c": 1e-400}, "d": [0.5]}') as {
    readonly a: readonly unknown[];
    readonly d: unknown;
  };

  it('are neither objects nor plain numbers, and are printed as they are', () => {
    expect(isObject(value.a[1])).toBe(false);
    expect(typeof value.a[0]).toBe('number');
    expect(JSON.stringify(value)).toBe('{"a":[1,9007199254740993],"b":{"c":1e-400},"d":[0.5]}');
  });

  it('have paths, and plain numbers that are nearest to them', () => {
    expect([...rawNumbersIn(value)].map(([path, number]) => [path, nearestNumber(number)])).toEqual([
      [['a', 1], 9007199254740992],
      [['b', 'c'], 0],
    ]);
    expect(nearestNumbers(value)).toEqual({ a: [1, 9007199254740992], b: { c: 0 }, d: [0.5] });
    expect(hasRawNumbers(value.d)).toBe(false);
    expect(nearestNumbers(value.d)).toBe(value.d);
  });
});
