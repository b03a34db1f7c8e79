import { expect, it } from 'vitest';
import { alternatives } from '../../../src/language/json-schema.ts';

it('reads a schema through its references and alternatives, without null', () => {
  const root = { $defs: { word: { type: 'string', title: 'Word' } } };
  expect(alternatives({ anyOf: [{ $ref: '#/$defs/word', title: 'Name' }, { type: 'null' }] }, root)).toEqual([
    { type: 'string', title: 'Name' },
  ]);
});

it.each([
  ['to itself', { a: { $ref: '#/$defs/a' } }],
  ['to each other', { a: { anyOf: [{ $ref: '#/$defs/b' }, { $ref: '#/$defs/b' }] }, b: { $ref: '#/$defs/a' } }],
])('reads no alternatives of references that lead %s', (_, $defs) => {
  expect(alternatives({ $ref: '#/$defs/a' }, { $defs })).toEqual([]);
});
