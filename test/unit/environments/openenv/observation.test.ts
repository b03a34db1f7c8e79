import { describe, expect, it } from 'vitest';
import { takePicture } from '../../../../src/environments/openenv/pictures.ts';
import { printObservation } from '../../../../src/environments/openenv/print-observation.ts';
import { checkBy, withoutExtraKeys } from '../../../../src/environments/openenv/schema-check.ts';

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
    const check = checkBy(schema, () => {});
    expect(check({ kind: 'a', deep: null })).toBeNull();
    expect(check({})).toBe('“kind” is missing (of two)');
    expect(check({ kind: 'a', kid: 1 })).toBe('“kid” is not a key of the Act; it has kind, deep');
    expect(check({ kind: 'a', deep: 'x' })).toContain('“deep”: ');
  });

  it('of an answer takes further keys', () => {
    expect(checkBy(withoutExtraKeys(schema) as typeof schema, () => {})({ kind: 'a', more: 1 })).toBeNull();
  });

  it('that cannot be read checks nothing, and says so', () => {
    const told: string[] = [];
    expect(checkBy({ not: { type: 'string' } }, (text) => told.push(text))('text')).toBeNull();
    expect(told[0]).toContain('cannot be used');
  });
});
