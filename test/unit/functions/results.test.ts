import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtins, findBuiltin } from '../../../src/functions/catalogue.ts';
import { readResult } from '../../../src/functions/evaluate.ts';
import { nearest } from '../../../src/functions/nearest.ts';

describe('the result of an evaluate function', () => {
  it.each<[unknown, number, string]>([
    [1, 1, 'returned 1'],
    [0.25, 0.25, 'returned 0.25'],
    [true, 1, 'returned true'],
    [false, 0, 'returned false'],
    [{ value: 0.5, reason: 'half' }, 0.5, 'half'],
    [{ value: true }, 1, 'returned true'],
    [{ value: 1, reason: null }, 1, 'returned 1'],
  ])('%o is a value', (result, value, reason) => {
    expect(readResult('f', result)).toEqual({ value, reason });
  });

  it.each([
    [undefined, 'call_returned_nothing'],
    [null, 'call_returned_nothing'],
    [Number.NaN, 'call_out_of_range'],
    [{ value: Number.NaN }, 'call_out_of_range'],
    [-0.1, 'call_out_of_range'],
    [1.1, 'call_out_of_range'],
    [Number.POSITIVE_INFINITY, 'call_out_of_range'],
    ['1', 'call_out_of_range'],
    [[1], 'call_out_of_range'],
    [{}, 'call_out_of_range'],
    [{ value: '1' }, 'call_out_of_range'],
    [1n, 'call_out_of_range'],
    [() => 1, 'call_out_of_range'],
  ])('%o is an error', (result, code) => {
    expect(readResult('f', result)).toEqual({ error: { code, message: expect.stringContaining('{value, reason}') } });
  });

  it.each<[unknown, string]>([
    [5, 'a number'],
    [true, 'a boolean'],
    [['a'], 'a list'],
    [{ text: 'a' }, 'an object'],
  ])('the reason %o is an error', (reason, kind) => {
    const message = `\`f\` returned a reason that is ${kind}; return {value, reason} with a text as the reason`;
    expect(readResult('f', { value: 1, reason })).toEqual({ error: { code: 'call_out_of_range', message } });
  });

  it('is a value from 0 to 1 or an error, whatever was returned', () => {
    fc.assert(
      fc.property(fc.anything(), (result) => {
        const read = readResult('f', result);
        if (!('error' in read)) expect(read.value).toSatisfy((value: number) => value >= 0 && value <= 1);
      }),
    );
  });
});

describe('the catalogue', () => {
  it('finds functions by all names of HUD', () => {
    expect(findBuiltin('contains_text')?.name).toBe('page_contains');
    expect(findBuiltin('cookies_exist')?.name).toBe('cookie_exists');
    expect(findBuiltin('page_contain')).toBeUndefined();
    expect(findBuiltin('toString')).toBeUndefined();
  });

  it('has each name once, with a sentence and a name for each argument', () => {
    const all = builtins.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    expect(new Set(all).size).toBe(all.length);
    for (const { doc } of builtins) expect(doc).toMatch(/^[A-Z].*\.$/);
  });
});

describe('the nearest text', () => {
  it('has most of the letters, in any order of words', () => {
    const texts = ['Your cart', 'Place order', 'Order history of the last years', 'Impressum'];
    expect(nearest('Order placed', texts, (text) => text)).toBe('Place order');
    expect(nearest('Checkout complete', texts, (text) => text)).toBeUndefined();
  });
});
