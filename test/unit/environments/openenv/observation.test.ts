import { describe, expect, it } from 'vitest';
import { takePicture } from '../../../../src/environments/openenv/pictures.ts';
import { printObservation } from '../../../../src/environments/openenv/print-observation.ts';
import { validatorOf, withoutExtraKeys } from '../../../../src/environments/schema-validator.ts';

describe('an observation as text', () => {
  it.each([
    [{ message: 'Hello', x: 0, none: null, metadata: {} }, 'message: Hello\nx: 0'],
    [
      {
        messages: [
          { role: 'user', content: 'Hi' },
          { sender_id: 1, content: 'Yes', category: 'a' },
        ],
      },
      'messages:\n  user: Hi\n  1: Yes',
    ],
    [
      {
        board: [
          [0, 1],
          ['x', ''],
        ],
      },
      'board:\n  0 1\n  x ·',
    ],
    [
      {
        cells: [
          ['x', null],
          [null, 'o'],
        ],
      },
      'cells:\n  x ·\n  · o',
    ],
    [{ board: ['.@..', '.##.', '...E'] }, 'board:\n  .@..\n  .##.\n  ...E'],
    [
      { result: { stdout: '1\n2', locals: { x: '1'.repeat(100) }, error: null, seconds: 0.1 } },
      `result:\n  stdout:\n    1\n    2\n  locals:\n    x: ${'1'.repeat(100)}\n  seconds: 0.1`,
    ],
    [{ info_state: Array(60).fill(0) }, `info_state: [${Array(60).fill(0)}]`],
    [
      {
        tools: [
          { name: 'add', description: 'Add two numbers.'.repeat(6), schema: { type: 'object' } },
          ['a'.repeat(50), { b: 'c'.repeat(50) }],
        ],
      },
      `tools:\n  - name: add\n    description: ${'Add two numbers.'.repeat(6)}\n    schema: {"type":"object"}\n  - - ${'a'.repeat(50)}\n    - {"b":"${'c'.repeat(50)}"}`,
    ],
    [{ moves: ['LEFT', 'DOWN'] }, 'moves: ["LEFT","DOWN"]'],
    [{ legal_actions: [0, 2] }, 'legal_actions: [0,2]'],
    [{ text: 'two\nlines' }, 'text:\n  two\n  lines'],
  ])('of %j', (observation, text) => {
    expect(printObservation(observation)).toBe(text);
  });
});

describe('a picture in an observation', () => {
  it('of a few pixels is one where its key says so', async () => {
    const pixels = [
      [
        [255, 0, 0],
        [0, 255, 0],
      ],
    ];
    const { picture, data } = await takePicture({ screenshot: pixels });
    expect(picture).toMatchObject({ type: 'png', width: 2, height: 1 });
    expect(data).toEqual({ screenshot: '(picture, 2×1)' });
    expect((await takePicture({ board: pixels })).picture).toBeNull();
  });

  it.each([
    ['rows of shades of gray', { screen: Array(9).fill(Array(8).fill(7)) }],
    ['a list with its shape', { screen: Array(9 * 8 * 3).fill(7), screen_shape: [9, 8, 3], lives: 3 }],
    ['a list of shades of gray with its shape', { screen: Array(9 * 8).fill(7), screen_shape: [9, 8] }],
  ])('is %s', async (_what, observation) => {
    const { picture, data } = await takePicture(observation);
    expect(picture).toMatchObject({ type: 'png', width: 8, height: 9 });
    expect(data).toEqual({ ...observation, screen: '(picture, 8×9)' });
    const [, ...shape] = Object.keys(observation);
    const unnamed = { cells: observation.screen, ...(shape.length > 0 ? { cells_shape: [9, 8, 3] } : {}) };
    expect((await takePicture(unnamed)).picture).toBeNull();
  });

  it('is none where the shape is of another list', async () => {
    for (const screen_shape of [[9, 8, 3], [9], ['9', 8], [-9, -8], [3, 3, 2, 4], null]) {
      expect((await takePicture({ screen: Array(72).fill(7), screen_shape })).picture, `${screen_shape}`).toBeNull();
    }
  });

  it('is none where rows differ in length, or numbers are no bytes', async () => {
    for (const screen of [
      [
        [[0, 0, 0]],
        [
          [0, 0, 0],
          [0, 0, 0],
        ],
      ],
      [[[0, 0, 256]]],
    ]) {
      expect(await takePicture({ screen })).toEqual({ data: { screen }, picture: null });
    }
  });
});

describe('a check by a schema', () => {
  const schema = {
    $defs: { Kind: { enum: ['a', 'b'], type: 'string', description: 'of two' } },
    type: 'object',
    title: 'Act',
    additionalProperties: false,
    required: ['kind'],
    properties: { kind: { $ref: '#/$defs/Kind' }, deep: { anyOf: [{ type: 'integer' }, { type: 'null' }] } },
  };

  it('names what is missing, unknown, or of another type', () => {
    const check = validatorOf(schema, () => {});
    expect(check({ kind: 'a', deep: null })).toBeNull();
    expect(check({})).toBe('“kind” is missing (of two)');
    expect(check({ kind: 'a', kid: 1 })).toBe('“kid” is not a key of the Act; it has kind, deep');
    expect(check({ kind: 'a', deep: 'x' })).toContain('“deep”: ');
  });

  it('of an answer takes further keys', () => {
    expect(validatorOf(withoutExtraKeys(schema) as typeof schema, () => {})({ kind: 'a', more: 1 })).toBeNull();
  });

  it('that cannot be read checks nothing, and says so', () => {
    const told: string[] = [];
    expect(validatorOf({ not: { type: 'string' } }, (text) => told.push(text))('text')).toBeNull();
    expect(told[0]).toContain('cannot be used');
  });
});
