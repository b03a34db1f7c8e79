import fc from 'fast-check';
import type { Json } from '../../../src/base/json.ts';

const words = fc.constantFrom(
  'Buy the lamp',
  'a: b',
  '- no item',
  '# no comment',
  'it\'s "said"',
  'one\ntwo\n',
  '- one\n- two',
  'x\n\n  y\n',
  ' led',
  'trailed ',
  '',
  'no',
  '1e3',
  '2024-01-01',
  '~',
  'null',
  'ä€😀',
  '*star',
  '&amp',
  '!bang',
  '|',
  '>',
  '[x',
  '{x',
  '@at',
  '`',
  '%',
  'a #b',
  'a:b',
  '---',
  'tab\there',
  'https://shop.example/a?b=c&d=e#f',
  'C:\\dir',
  'x'.repeat(100),
  'Long text that is folded when it gets wider than its column is',
);
export const text = fc.oneof({ weight: 4, arbitrary: words }, fc.string({ unit: 'grapheme', maxLength: 8 }));
const name = fc
  .oneof(
    fc.constantFrom('id', 'function', 'args', 'weight', 'no', '1', 'a b', 'x-y', "it's", 'a:b', '- a', '#c'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 5 }),
  )
  .filter((key) => !key.includes('\\') && key !== '__proto__' && key !== '<<');

const { tree } = fc.letrec<{ tree: Json; list: Json; object: Json }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    fc.integer(),
    // Adding nothing makes 0 of -0, which YAML has not.
    fc.double({ noDefaultInfinity: true, noNaN: true }).map((value) => value + 0),
    fc.boolean(),
    fc.constant(null),
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('tree'), { maxLength: 3 }),
  object: fc.dictionary(name, tie('tree'), { maxKeys: 3 }).map((members) => ({ ...members })),
}));

export const value: fc.Arbitrary<Json> = tree;
export const key: fc.Arbitrary<string> = name;

/** A task with an id first, as they are written, and anything in it. */
export const task: fc.Arbitrary<Record<string, Json>> = fc
  .record({
    id: text,
    prompt: text,
    evaluate: fc.array(fc.record({ function: text, args: fc.array(tree, { maxLength: 3 }) }), { maxLength: 2 }),
    rest: fc.dictionary(name, tree, { maxKeys: 3 }),
  })
  .map(({ rest, ...own }) => ({ ...own, ...rest, id: own.id }) as Record<string, Json>);
