import { describe, expect, it } from 'vitest';
import { cursorAt, inShort } from './cursor.ts';

/** Each story in one line of JSON; it must read the same in a JSON file, in a list, in JSONL and with CRLF. */
const STORIES: readonly (readonly [story: string, text: string, seen: string])[] = [
  ['an empty object asks for a key', '{|}', 'key .'],
  ['and with space in it', '{ | }', 'key .'],
  ['a key in its quotes', '{"|"}', 'key . ‹""›'],
  ['a half-written key', '{"se|"}', 'key . ‹"se"› before=se'],
  ['a half-written key without quotes', '{se|}', 'key . ‹se› before=se'],
  ['a whole key in front of its value', '{"se|tup": []}', 'key . ‹"setup"› before=se followed'],
  ['a key that has a colon only', '{"gym|":}', 'key . ‹"gym"› before=gym followed'],
  ['a key before others', '{"g|" "id": "a"}', 'key . ‹"g"› before=g comma-after'],
  ['room before the first key', '{ | "id": "a"}', 'key . comma-after'],
  ['room after a comma', '{"id": "a", |}', 'key .'],
  ['room after a value without its comma', '{"id": "a" |}', 'key . comma-before=10'],
  ['a key after a value without its comma', '{"id": "a" "g|"}', 'key . ‹"g"› before=g comma-before=10'],
  ['a value that is missing', '{"gym": |}', 'value gym'],
  ['a value that is missing right after the colon', '{"gym":|}', 'value gym'],
  ['a value that is missing before a comma', '{"gym": |, "id": "a"}', 'value gym'],
  ['a value that is missing before a key', '{"gym": | "id": "a"}', 'value gym comma-after'],
  ['a value in its quotes', '{"gym": "|"}', 'value gym ‹""›'],
  ['a value half written', '{"gym": "hu|d"}', 'value gym ‹"hud"› before=hu'],
  ['right before a value', '{"gym": |"hud"}', 'value gym ‹"hud"›'],
  ['right behind a value', '{"gym": "hud"|}', 'value gym ‹"hud"› before=hud'],
  ['a value without quotes', '{"gym": hu|}', 'value gym ‹hu› before=hu'],
  ['between a key and its colon', '{"gym" | : "hud"}', 'between gym'],
  ['between a colon and its value', '{"gym": | "hud"}', 'between gym'],
  ['between a value and its comma', '{"gym": "hud" | , "id": "a"}', 'between .'],
  ['an empty list', '{"setup": [|]}', 'value setup.0'],
  ['the first of a list', '{"setup": ["go|"]}', 'value setup.0 ‹"go"› before=go'],
  ['the second of a list', '{"setup": ["goto", "|"]}', 'value setup.1 ‹""›'],
  ['room for the second of a list', '{"setup": ["goto", |]}', 'value setup.1'],
  ['room before the first of a list', '{"setup": [ | "goto"]}', 'value setup.0 comma-after'],
  ['behind an item that is complete', '{"setup": ["goto", "a" |]}', 'between setup.1'],
  ['an item without its comma', '{"setup": ["go|" "a"]}', 'value setup.0 ‹"go"› before=go comma-after'],
  ['deep inside', '{"setup": [{"function": "goto", "args": ["a", {"b": "|"}]}]}', 'value setup.0.args.1.b ‹""›'],
  ['a key deep inside', '{"setup": [{"function": "goto", |}]}', 'key setup.0'],
  [
    'an escape before the place',
    '{"prompt": "a \\"b\\" \\u0063|d"}',
    'value prompt ‹"a \\"b\\" \\u0063d"› before=a "b" c',
  ],
  ['a string that has no end', '{"gym": "hu|}', 'value gym ‹"hu› before=hu'],
  ['a string that has no end, and one after it', '{"gym": "hu|, "id": "a"}', 'value gym ‹"hu› before=hu'],
  ['an item that has no end, and one after it', '{"setup": ["goto|, "x"]}', 'value setup.0 ‹"goto› before=goto'],
  ['a key that has no end', '{"gy|: "hud"}', 'key . ‹"gy› before=gy followed'],
  ['the end of the text in an object', '{"id": "a", "g|', 'key . ‹"g› before=g'],
  ['the end of the text in a list', '{"setup": ["goto", "|', 'value setup.1 ‹"›'],
  ['the end of the text after a colon', '{"setup":|', 'value setup'],
  ['a bracket that is missing', '{"setup": ["goto", "a|"', 'value setup.1 ‹"a"› before=a'],
  ['brackets that close too much', '{"a": ]], "gym": "|"}', 'value gym ‹""›'],
  ['a number', '{"max_steps": 1|0}', 'value max_steps ‹10› before=1'],
];

describe('what is at a position in JSON', () => {
  it.each(STORIES)('%s: %s', (_, text, seen) => {
    expect(inShort('/a.task.json', text)).toBe(seen);
  });

  it.each(STORIES)('the same in a line of JSONL: %s: %s', (_, text, seen) => {
    expect(inShort('/a.tasks.jsonl', text)).toBe(seen);
  });

  it('line breaks of any kind do not matter', () => {
    for (const end of ['\n', '\r\n']) {
      const lines = ['[', '  {', '    "id": "a",', '    "gym"|', '    "setup": ["goto", "a"]', '  }', ']'];
      expect(inShort('/a.tasks.json', lines.join(end))).toBe('key . ‹"gym"› before=gym comma-after');
      const later = ['{', '  "id": "a",', '  "setup": [', '    ["goto", "a"]', '    |', '  ]', '}'].join(end);
      expect(inShort('/a.task.json', later)).toMatch(/^value setup\.1 comma-before=/);
    }
  });
});

describe('the task around a place', () => {
  it.each([
    ['all that is whole', '{"id": "a", "ev|": 1}', { id: 'a', ev: 1 }],
    ['what is being written', '{"gym": "hud-|", "id": "a"}', { gym: 'hud-', id: 'a' }],
    [
      'what stands behind a half-written key',
      '{"se|" "evaluate": ["x", 1], "id": "b"}',
      { evaluate: ['x', 1], id: 'b' },
    ],
    ['what stands behind a missing value', '{"gym": | "id": "b"}', { id: 'b' }],
    ['what stands behind a string without an end', '{"gym": "hu|, "id": "b"}', { gym: 'hu', id: 'b' }],
    ['the last of two keys', '{"id": "a", "id": "b", |}', { id: 'b' }],
    ['comments left out', '{"id": "a" /* x */, // y\n |}', { id: 'a' }],
    ['nothing else than what is written', '|7', 7],
  ])('is %s', (_, text, task) => {
    expect(cursorAt('/a.task.json', text)?.task).toEqual(task);
  });

  it('is found at any depth of brackets', () => {
    expect(() => cursorAt('/a.tasks.jsonl', `${'{'.repeat(100_000)}|`)).not.toThrow();
    expect(cursorAt('/a.task.json', `{"a": ${'['.repeat(100_000)}|`)?.at).toBe('between');
  });
});
