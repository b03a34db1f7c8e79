import { describe, expect, it } from 'vitest';
import { schemaOfCalls } from '../../../src/environments/openenv/tools.ts';
import { diagnoseSolution } from '../../../src/language/solutions/findings.ts';
import { objectCompletions, objectHover } from '../../../src/language/solutions/object-actions.ts';

const WALK = {
  $defs: { Direction: { enum: ['LEFT', 'RIGHT'], type: 'string' } },
  additionalProperties: false,
  properties: {
    metadata: { type: 'object' },
    direction: { $ref: '#/$defs/Direction', description: 'Where to go' },
    steps: { default: 1, maximum: 10, minimum: 1, type: 'integer' },
    note: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null, description: 'Why' },
  },
  required: ['direction'],
  title: 'Walk',
  type: 'object',
};
const TOOLS = schemaOfCalls([
  {
    name: 'add',
    description: 'Add two numbers.',
    schema: { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'integer' } }, required: ['a'] },
  },
  { name: 'paint', description: '', schema: { type: 'object', properties: { colour: { enum: ['red', 'blue'] } } } },
]);

/** The labels at the bar in a line. */
function listCompletions(markedText: string, schema: Parameters<typeof objectCompletions>[2] = WALK): string[] {
  const line = markedText.replace('|', '');
  return objectCompletions(line, markedText.indexOf('|'), schema).map(({ label }) => label);
}

/** The line after taking the first completion at the bar. */
function accept(markedText: string, schema: Parameters<typeof objectCompletions>[2] = WALK): string {
  const line = markedText.replace('|', '');
  const [first] = objectCompletions(line, markedText.indexOf('|'), schema);
  return first === undefined ? line : line.slice(0, first.start) + first.snippet + line.slice(first.end);
}

describe('completion of an action that is an object', () => {
  it.each([
    ['|', ['Walk']],
    ['{|}', ['direction', 'steps', 'note']],
    ['{"|"}', ['direction', 'steps', 'note']],
    ['{"direction": "LEFT", |}', ['steps', 'note']],
    ['{"direction": |}', ['"LEFT"', '"RIGHT"']],
    ['{"direction": "L|"}', ['"LEFT"', '"RIGHT"']],
    ['{"steps": |}', ['1']],
    ['respon|', []],
  ])('offers at %s', (line, labels) => {
    expect(listCompletions(line)).toEqual(labels);
  });

  it('offers tools, then only their arguments', () => {
    expect(listCompletions('|', TOOLS)).toEqual(['add', 'paint', 'list_tools']);
    expect(listCompletions('{"type": "call_tool", "tool_name": |}', TOOLS)).toEqual(['"add"', '"paint"']);
    expect(listCompletions('{"type": "call_tool", "tool_name": "add", "arguments": {|}}', TOOLS)).toEqual(['a', 'b']);
    const line = '{"type": "call_tool", "tool_name": "paint", "arguments": {"colour": |}}';
    expect(listCompletions(line, TOOLS)).toEqual(['"red"', '"blue"']);
  });

  it.each([
    ['|', '{"direction": ${1|"LEFT","RIGHT"|}}'],
    ['{"direction": "LEFT", |}', '{"direction": "LEFT", "steps": ${1:1}}'],
    ['{"|"}', '{"direction": ${1|"LEFT","RIGHT"|}}'],
    ['{"|": 3}', '{"direction": 3}'],
    ['{"direction": "L|"}', '{"direction": "LEFT"}'],
  ])('inserts at %s', (line, after) => {
    expect(accept(line)).toBe(after);
  });

  it('inserts a complete call of a tool', () => {
    expect(accept('|', TOOLS)).toBe('{"type": "call_tool", "tool_name": "add", "arguments": {"a": ${1:0}\\}}');
  });
});

describe('hover in an action that is an object', () => {
  it('describes a key by the schema', () => {
    const line = '{"direction": "LEFT", "steps": 2}';
    expect(objectHover(line, 4, WALK)).toEqual({
      start: 1,
      end: 12,
      text: '`direction`: one of `"LEFT"`, `"RIGHT"`\n\nWhere to go',
    });
    expect(objectHover(line, 25, WALK)?.text).toBe('`steps`: integer, at least 1, at most 10, default 1');
    expect(objectHover("click('#a')", 3, WALK)).toBeNull();
  });
});

describe('findings in an action that is an object', () => {
  const found = (text: string): string[] =>
    diagnoseSolution('/t/a.actions', text, { dialect: 'object' }, WALK).map(
      ({ range, message, code }) =>
        `${code} · ${(text.split('\n')[range.start.line] ?? '').slice(range.start.character, range.end.character)} · ${message}`,
    );

  it('are those of the schema, with their ranges', () => {
    expect(
      found(
        '{"direction": "LEFT"}\n {"direction": "UP"}\n{"direction": "LEFT", "stepps": 2}\n{"steps": 2}\nresponse("3")\n{"type": "response", "text": "3"}',
      ),
    ).toEqual([
      'invalid-action · "UP" · “direction”: expected one of "LEFT"|"RIGHT" (Where to go)',
      'invalid-action · "stepps" · “stepps” is not a key of the Walk; it has direction, steps, note',
      'invalid-action · {"steps": 2} · “direction” is missing (Where to go)',
    ]);
  });
});
