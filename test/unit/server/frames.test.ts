import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeFrame, FrameDecoder, FrameError, MAX_FRAME_BYTES } from '../../../src/server/frames.ts';

const bytes = fc.uint8Array({ maxLength: 300 });
const key = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'parts', 'value', '0', ''));
/** What travels: JSON with Uint8Arrays anywhere in it. */
const { value: message } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), bytes),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
  ),
}));

const encode = (value: unknown) => Buffer.concat(encodeFrame(value));

/** The same bytes, cut at any places. */
const chunked = (whole: Uint8Array, cuts: readonly number[]) => {
  const places = [...new Set(cuts.map((cut) => cut % (whole.byteLength + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((start, index) => whole.subarray(start, places[index] ?? whole.byteLength));
};

describe('frames', () => {
  test('bring back what was sent, however the stream is cut', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 4 }), fc.array(fc.nat()), (messages, cuts) => {
        const decoder = new FrameDecoder();
        const whole = Buffer.concat(messages.flatMap((each) => encodeFrame(each)));

        const values = chunked(whole, cuts).flatMap((chunk) => decoder.push(chunk));

        expect(values).toEqual(messages);
      }),
    );
  });

  test('leave the value that is sent as it is', () => {
    fc.assert(
      fc.property(message, (value) => {
        const before = structuredClone(value);
        encodeFrame(value);
        expect(value).toEqual(before);
      }),
    );
  });

  test('give bytes memory of their own', () => {
    const [copy] = new FrameDecoder().push(encode({ data: new Uint8Array([1, 2, 3]) })) as [{ data: Uint8Array }];

    expect(copy.data.buffer.byteLength).toBe(3);
  });

  test('do not let a name change what an object is', () => {
    const value = JSON.parse('{"__proto__": {"data": 1}}');
    Object.defineProperty(value, '__proto__', { value: new Uint8Array([9]), enumerable: true, configurable: true });

    const [copy] = new FrameDecoder().push(encode(value)) as [object];

    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect(Object.entries(copy)).toEqual([['__proto__', new Uint8Array([9])]]);
  });

  test('end in a FrameError and nothing else, whatever comes in', () => {
    fc.assert(
      fc.property(message, fc.array(fc.tuple(fc.nat(), fc.nat(255))), (value, changes) => {
        const frame = encode(value);
        for (const [place, byte] of changes) frame[place % frame.byteLength] = byte;
        try {
          new FrameDecoder().push(frame);
        } catch (error) {
          expect(error).toBeInstanceOf(FrameError);
        }
      }),
    );
  });

  test('are refused by their length before anything is kept for them', () => {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(MAX_FRAME_BYTES + 1);

    expect(() => new FrameDecoder().push(head)).toThrow(/too large/);
  });

  test('that would be too large are not sent', () => {
    expect(() => encodeFrame({ data: new Uint8Array(MAX_FRAME_BYTES) })).toThrow(FrameError);
  });
});

/** A frame with this header, as a stranger could write it. */
function frameOf(header: unknown, ...parts: Uint8Array[]): Buffer {
  const json = Buffer.from(typeof header === 'string' ? header : JSON.stringify(header));
  const head = Buffer.alloc(8);
  head.writeUInt32BE(4 + json.byteLength + parts.reduce((sum, part) => sum + part.byteLength, 0), 0);
  head.writeUInt32BE(json.byteLength, 4);
  return Buffer.concat([head, json, ...parts]);
}

test.each([
  ['no JSON', '{'],
  ['another shape', { value: 1 }],
  ['a part without a place', { value: {}, parts: [[['data'], 1]] }],
  ['a part where something else is', { value: { data: 7 }, parts: [[['data'], 1]] }],
  ['a part on an inherited name', { value: {}, parts: [[['constructor', 'data'], 1]] }],
  ['a part that is too long', { value: { data: null }, parts: [[['data'], 2]] }],
  ['a part of negative length', { value: { data: null }, parts: [[['data'], -1]] }],
  ['fewer parts than bytes', { value: null, parts: [] }],
])('A frame with %s is refused', (_what, header) => {
  expect(() => new FrameDecoder().push(frameOf(header, new Uint8Array([1])))).toThrow(FrameError);
});
