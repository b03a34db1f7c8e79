import { describe, expect, it } from 'vitest';
import { matches, schemaOfCalls } from '../../../../src/environments/mcp/tools.ts';
import { objectCompletions } from '../../../../src/language/solutions/object-actions.ts';

describe('the schema of calls', () => {
  const direction = { enum: ['up', 'down'] };
  const walk = { properties: { to: { $ref: '#/$defs/To' } }, required: ['to'], $defs: { To: direction } };
  const tools = [
    { name: 'walk', description: 'Walk.', schema: { type: 'object', ...walk } },
    { name: 'look', description: '', schema: { type: 'object', properties: { far: { type: 'boolean' } } } },
  ];

  it('needs arguments where a tool does', () => {
    expect(schemaOfCalls(tools)).toMatchObject({
      oneOf: [
        { title: 'walk', properties: { name: { const: 'walk' } }, required: ['name', 'arguments'] },
        { title: 'look', required: ['name'] },
      ],
    });
    expect(schemaOfCalls(tools.slice(1))).not.toHaveProperty('$defs');
  });

  it('completes actions in a solution, also by definitions of a tool', () => {
    const offered = (given: string) =>
      objectCompletions(given.replace('|', ''), given.indexOf('|'), schemaOfCalls(tools)).map(({ label }) => label);
    expect(offered('|')).toEqual(['walk', 'look']);
    expect(offered('{"name": |}')).toEqual(['"walk"', '"look"']);
    expect(offered('{"name": "look", "arguments": {|}}')).toEqual(['far']);
    expect(offered('{"name": "walk", "arguments": {"to": |}}')).toEqual(['"up"', '"down"']);
  });
});

it.each([
  ['act', 'act', true],
  ['act', 'a*', true],
  ['act', '*', true],
  ['act', 'ac', false],
  ['act', 'ac?', true],
  ['act', '[a-c]ct', true],
  ['act', '[!a]ct', false],
  ['a.t', 'a.t', true],
  ['act', 'a.t', false],
  ['a]b', 'a[]]b', true],
  ['a^', 'a[^]', true],
  ['a[b', 'a[b', true],
  ['two\nlines', 'two*', true],
])('the name %j and the pattern %j match as by Python’s fnmatch: %s', (name, pattern, expected) => {
  expect(matches(name, pattern)).toBe(expected);
});
