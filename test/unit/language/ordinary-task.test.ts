import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import { GYM_TYPES } from '../../../src/environments/kinds.ts';
import { builtins } from '../../../src/functions/catalogue.ts';
import { isOrdinaryTask } from '../../../src/language/findings/ordinary-task.ts';
import { rowProblems } from '../../../src/language/findings/row.ts';
import { readRow } from '../../../src/tasks/reading.ts';
import { caseCount } from '../../sample.ts';
import { userFunctionsNamed } from './user-functions.ts';

const ORDINARY = [...GYM_TYPES].flatMap(([name, { ordinary }]) => (ordinary === true ? [name] : []));
const NAMES = [
  ...['goto', 'load_html_content', 'page_contains', 'contains_text', 'url_contains', 'url_match', 'element_exists'],
  ...['text_matches', 'cookie_exists', 'response_includes', 'response_is', 'response_match', 'cart_total', 'wait'],
];
const text = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '.',
    '..',
    '*',
    'body',
    'html body',
    'Paris',
    'paris ',
    '#a',
    'a.b c',
    'p',
    '/',
    '//',
    '.a .b',
  ),
  fc.constantFrom('https://a.b/c', 'https://a', 'http://1.2', 'http://a..b', 'https:/a', 'shop.html', 'file:a.html'),
  fc.constantFrom('(', '[', '(?i)a', 'a-b', "it's", '{', '$', '\\', 'Lyon', 'true', 'https', 'a{', '^a'),
  fc.string({ maxLength: 4 }),
);
const arg: fc.Arbitrary<Json> = fc.oneof({ weight: 8, arbitrary: text }, fc.constantFrom<Json>(1, null, [], ['a'], {}));
const args = fc.oneof({ weight: 3, arbitrary: fc.tuple(text) }, fc.array(arg, { maxLength: 3 }));
const name = fc.constantFrom(...NAMES);
const written = fc.oneof(
  fc.record({ function: name, args }),
  fc.record({ function: name, args, id: fc.constant('x') }, { requiredKeys: ['function'] }),
  fc.tuple(name, args).map(([called, given]): Json => [called, ...given]),
);
const calls: fc.Arbitrary<Json> = fc.oneof(written, fc.array(written, { maxLength: 3 }), name);
const prompt = fc.oneof(
  fc.constantFrom('Buy a lamp', '', 'What is the capital of France? The answer is Paris.', 'Is it Lyon or Paris?'),
  text.map((answer) => `Answer: ${answer}`),
);
/** Mostly the first. */
const mostly = (first: Json, ...others: Json[]): fc.Arbitrary<Json> =>
  fc.oneof({ weight: 12, arbitrary: fc.constant(first) }, fc.constantFrom(...others));
const common = fc.record(
  {
    prompt,
    evaluate: calls,
    gym: fc.oneof(
      mostly('hud-browser', 'hud-browsr', 'hud-ubuntu', { type: 'qa' }, null, ''),
      fc.constantFrom(...ORDINARY),
    ),
    setup: calls,
    id: mostly('a', '', 1, null),
    metadata: mostly({ a: 1 }, {}, { combine: 'all' }, { combine: 1 }, { tags: [1] }, null, 'x'),
    description: mostly('d', 1),
  },
  { requiredKeys: ['prompt', 'gym', 'evaluate'] },
);
const more = mostly({}, { scenario: 's' }, { start_url: 'http://' }, { mcp_config: {} }, { tagz: [] });
const task = fc.tuple(common, more).map(([row, added]) => ({ ...row, ...(added as object) }));

it('does not call a task ordinary if a rule reports a finding', () => {
  const own = userFunctionsNamed('cart_total');
  let fine = 0;
  fc.assert(
    fc.property(task, (value) => {
      if (!isOrdinaryTask(value, own)) return;
      fine += 1;
      const reading = readRow(value as Json);
      expect([...reading.problems, ...rowProblems(reading, value, own)]).toEqual([]);
    }),
    { numRuns: caseCount(8_000, 40_000), seed: 4 },
  );
  expect(fine).toBeGreaterThan(caseCount(30, 200));
});

/** Texts that some function does not accept, or that say nothing. */
const odd = fc.constantFrom(
  '',
  ' ',
  'the',
  'The!',
  'a',
  'body',
  '*',
  '.*',
  '^',
  '#a',
  'Paris',
  '42',
  '(',
  '/x',
  "click('a')",
);
const anyCall = fc.record({
  function: fc.constantFrom(...builtins.flatMap(({ name, aliases = [] }) => [name, ...aliases])),
  args: fc.array(fc.oneof({ weight: 8, arbitrary: odd }, arg), { minLength: 1, maxLength: 2 }),
});

it('does not call a call of any built-in function ordinary if a rule reports a finding', () => {
  const own = userFunctionsNamed();
  const ordinary = new Set<string>();
  const row = fc.record(
    { prompt, gym: fc.constantFrom(...ORDINARY), evaluate: anyCall },
    { requiredKeys: ['prompt', 'gym'] },
  );
  fc.assert(
    fc.property(row, fc.option(anyCall), (task, setup) => {
      const value = { evaluate: ['response_is', 'Basel'], ...task, ...(setup === null ? {} : { setup }) };
      if (!isOrdinaryTask(value, own)) return;
      if (task.evaluate !== undefined) ordinary.add(task.evaluate.function);
      const reading = readRow(value as Json);
      expect([...reading.problems, ...rowProblems(reading, value, own)]).toEqual([]);
    }),
    { numRuns: caseCount(20_000, 80_000), seed: 5 },
  );
  expect([...ordinary].sort()).toEqual(
    expect.arrayContaining(['page_contains', 'contains_text', 'match_single', 'response_match', 'url_match']),
  );
});
