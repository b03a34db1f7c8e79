import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import { builtins } from '../../../src/functions/catalogue.ts';
import type { FunctionContext, Subject } from '../../../src/functions/declaration.ts';
import { type FunctionCall, runCall } from '../../../src/functions/evaluate.ts';
import {
  actedOnOf,
  expectedOf,
  judges,
  judgesResponseOnly,
  pageFactOf,
  searchesCharacters,
  trivialityOf,
} from '../../../src/functions/meaning.ts';
import { NO_USER_FUNCTIONS } from '../../../src/functions/user/load.ts';
import { caseCount } from '../../sample.ts';

const EVALUATE = builtins.filter((declaration) => declaration.phase === 'evaluate');
const OF_RESPONSE = EVALUATE.filter(judgesResponseOnly);

function call([name, ...args]: readonly [string, ...Json[]]): FunctionCall {
  return { function: name, args };
}

async function valueFor(one: FunctionCall, response: string | null): Promise<number | null> {
  const context: FunctionContext = { response, actions: [], actionTimeout: 0 };
  const result = await runCall(one, 'evaluate', context, NO_USER_FUNCTIONS);
  return 'error' in result ? null : result.value;
}

const text = fc.oneof(
  fc.constantFrom('', ' ', 'Paris', 'the', 'The!', 'a-b c', 'ΟΔΟΣ', 'İ', 'e\u0301', '3.5', 'x'.repeat(250), '.*', '^$'),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
);
const pattern = fc
  .array(
    fc.constantFrom(
      '(?i)',
      '^',
      '$',
      '\\b',
      '.',
      '\\.',
      '\\d',
      '\\w',
      '\\s',
      '*',
      '+?',
      '?',
      'a',
      'Z',
      ' ',
      'é',
      '|',
      '(',
      '\\',
    ),
    {
      maxLength: 6,
    },
  )
  .map((parts) => parts.join(''));
const arg: fc.Arbitrary<Json> = fc.oneof(
  text,
  pattern,
  fc.array(text, { maxLength: 3 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom<Json>(0, 42, -1, 1e21, true, false),
);
const ofResponse = fc.record({
  function: fc.constantFrom(...OF_RESPONSE.map(({ name }) => name)),
  args: fc.array(arg, { minLength: 1, maxLength: 3 }),
});

describe('what a declaration defines about its function', () => {
  it.each(EVALUATE.map((declaration) => [declaration.name, declaration] as const))(
    '%s: what it judges',
    (_, declaration) => {
      const { reads, needs } = declaration;
      expect(reads.length).toBeGreaterThan(0);
      const ofPage: readonly Subject[] = ['page', 'url', 'cookies', 'history'];
      if (reads.some((subject) => ofPage.includes(subject))) expect(needs).toContain('page');
      if (reads.includes('files')) expect(needs).toContain('files');
      if (reads.includes('changes')) expect(needs).toContain('changes');
      if (reads.some((subject) => ['windows', 'clipboard'].includes(subject))) expect(needs).toContain('windows');
      if (reads.some((subject) => ['observation', 'state', 'rewards'].includes(subject)))
        expect(needs).toContain('episode');
      if (reads.includes('response')) expect(needs).toEqual([]);
    },
  );

  it.each(OF_RESPONSE.map((declaration) => [declaration.name, declaration] as const))(
    '%s: which response is right',
    (_, declaration) => {
      expect(declaration.expected).toBeDefined();
    },
  );

  it('is found by the name of a call', () => {
    expect(judges({ function: 'contains_text' }, 'page')).toBe(true);
    expect(judges({ function: 'goto' }, 'page')).toBe(false);
    expect(judges({ function: 'cart_total' }, 'response')).toBe(false);
    expect(pageFactOf(call(['contains_text', 'a']))).toEqual({ kind: 'text', texts: ['a'] });
    expect(pageFactOf(call(['cookie_exists', 'a']))).toBeNull();
    expect(actedOnOf(call(['selector_history', '#a', 1]))).toBe('#a');
    expect(actedOnOf(call(['selector_history', 1]))).toBeNull();
    expect(searchesCharacters(call(['contains_any', 'ab']))).toBe(true);
    expect(searchesCharacters(call(['match_all', 'a', 'b']))).toBe(false);
  });
});

describe('an expected response', () => {
  it.each<[FunctionCall, string, readonly string[]]>([
    [call(['response_is', 'Paris']), 'Paris', ['Paris']],
    [call(['response_includes', ['Paris', 'Rome']]), 'Paris Rome', ['Paris', 'Rome']],
    [call(['response_match', '(?i)^paris$']), 'paris', []],
    [call(['response_match', '\\b\\d+\\.5 \\$']), '0.5 $', []],
    [call(['match_regex', 'colou?r.*']), 'colour.', []],
    [call(['exact_match', 42]), '42', ['42']],
    [call(['contains_any', ['Paris', 'Rome']]), 'Paris', []],
    [call(['contains_all', ['Paris', 'Rome'], true]), 'Paris Rome', ['Paris', 'Rome']],
    [call(['numeric_match', 4.5, 1]), '4.5', []],
    [call(['f1_score', 'the answer']), 'the answer', []],
    [call(['match_single', 1.0]), '1', ['1']],
    [call(['match_all', 'a', 'b']), 'a b', ['a', 'b']],
    [call(['match_diff', 'a']), 'a', []],
  ])('%j', async (one, response, answers) => {
    expect(expectedOf(one)).toEqual({ kind: 'response', text: response, answers });
    expect(await valueFor(one, response)).toBe(1);
  });

  it.each<FunctionCall>([
    call(['response_match', 'a|b']),
    call(['response_match', '\\bé+(x)']),
    call(['response_match', '\\b!']),
    call(['contains_any', []]),
    call(['match_all', []]),
    call(['numeric_match', 1, -1]),
    call(['f1_score', 'The!']),
    call(['response_is', 5]),
    call(['response_is']),
    call(['page_contains', 'Paris']),
    call(['cart_total', 3]),
  ])('is unknown for %j', (one) => {
    expect(expectedOf(one)).toBeNull();
  });

  it('always has the value 1', async () => {
    let known = 0;
    await fc.assert(
      fc.asyncProperty(ofResponse, async (one) => {
        const expected = expectedOf(one);
        if (expected?.kind !== 'response') return;
        known += 1;
        expect(await valueFor(one, expected.text)).toBe(1);
      }),
      { numRuns: caseCount(3_000, 30_000) },
    );
    expect(known).toBeGreaterThan(caseCount(600, 6_000));
  });
});

it('expects an action as it is given', () => {
  const action = { type: 'click', point: { x: 1, y: 2 } };
  expect(expectedOf(call(['raw_last_action_is', action]))).toEqual({ kind: 'action', action });
  expect(expectedOf(call(['raw_last_action_is', 'clik('])), 'not an action').toBeNull();
});

describe('a call whose value does not depend on the agent', () => {
  it.each<[FunctionCall, 'always' | 'never', number]>([
    [call(['page_contains', ' ']), 'always', 0],
    [call(['page_contains', ['', ' ']]), 'always', 0],
    [call(['element_exists', ' BODY ']), 'always', 0],
    [call(['text_matches', 'html', '.*']), 'always', 1],
    [call(['url_contains', '']), 'always', 0],
    [call(['url_match', '.*']), 'always', 0],
    [call(['history_length', 0]), 'always', 0],
    [call(['history_length', { min: 0 }]), 'always', 0],
    [call(['response_includes', ['', '']]), 'always', 0],
    [call(['response_match', '^']), 'always', 0],
    [call(['contains', '']), 'always', 0],
    [call(['contains_any', ['Paris', '']]), 'always', 0],
    [call(['contains_any', '']), 'never', 0],
    [call(['contains_all', []]), 'always', 0],
    [call(['match_single', ' ']), 'always', 0],
    [call(['match_all', ['']]), 'always', 0],
    [call(['match_all', []]), 'never', 0],
    [call(['match_regex', '(?s).*']), 'always', 0],
    [call(['numeric_match', 3, -1]), 'never', 1],
    [call(['f1_score', 'an']), 'never', 0],
  ])('%j: %s', (one, succeeds, argument) => {
    expect(trivialityOf(one)).toEqual({ succeeds, argument, reason: expect.stringMatching(/^[a-z].*[^.]$/) });
  });

  it.each<FunctionCall>([
    call(['page_contains', ['', 'a']]),
    call(['element_exists', 'body p']),
    call(['text_matches', '#a', '.*']),
    call(['text_matches', 'body', 'a']),
    call(['url_contains', ' ']),
    call(['url_match', '']),
    call(['history_length', { min: 0, max: 1 }]),
    call(['history_length', 1]),
    call(['response_is', '']),
    call(['contains_any', ['a']]),
    call(['match_all', '', 'a']),
    call(['match_all', 'ab']),
    call(['numeric_match', 3, 0]),
    call(['f1_score', 'an answer']),
    call(['file_contains', 'a.txt', '']),
    call(['diff_matches', '.*']),
    call(['cookie_exists', '']),
    call(['contains', 3]),
  ])('does not include %j', (one) => {
    expect(trivialityOf(one)).toBeNull();
  });

  it('has the same value for every response', async () => {
    let trivial = 0;
    await fc.assert(
      fc.asyncProperty(ofResponse, text, async (one, response) => {
        const triviality = trivialityOf(one);
        if (triviality === null) return;
        trivial += 1;
        const value = await valueFor(one, response);
        if (triviality.succeeds === 'always') expect(value).toBe(1);
        else expect(value).toBeLessThan(1);
      }),
      { numRuns: caseCount(3_000, 30_000) },
    );
    expect(trivial).toBeGreaterThan(caseCount(50, 500));
  });
});
