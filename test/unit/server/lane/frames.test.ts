import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FrameError } from '../../../../src/server/frames.ts';
import {
  encodeLaneFrame,
  jsonPayload,
  KIND,
  type LaneFrame,
  LaneFrameDecoder,
} from '../../../../src/server/lane/frames.ts';

const frame = fc.record({
  connection: fc.nat({ max: 0xffff_ffff }),
  kind: fc.constantFrom(...Object.values(KIND)),
  payload: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
});

const encode = (frames: readonly LaneFrame[]) =>
  Buffer.concat(frames.map(({ connection, kind, payload }) => encodeLaneFrame(connection, kind, payload)));

describe('frames of lanes', () => {
  test('are the same, however the stream is cut', () => {
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 6 }), fc.array(fc.nat()), (frames, cuts) => {
        const decoder = new LaneFrameDecoder();
        const whole = encode(frames);
        const places = [...new Set(cuts.map((cut) => cut % (whole.byteLength + 1)))].sort((a, b) => a - b);

        const decodedFrames = [0, ...places].flatMap((start, index) =>
          decoder.push(whole.subarray(start, places[index] ?? whole.byteLength)),
        );

        expect(decodedFrames).toEqual(frames);
      }),
    );
  });

  test('are the same in single bytes', () => {
    const decoder = new LaneFrameDecoder();
    const frames: LaneFrame[] = [
      { connection: 7, kind: KIND.hello, payload: jsonPayload({ slot: '0' }) },
      { connection: 7, kind: KIND.data, payload: Buffer.alloc(1_000, 1) },
      { connection: 0, kind: KIND.ping, payload: Buffer.alloc(0) },
    ];

    expect([...encode(frames)].flatMap((byte) => decoder.push(Uint8Array.of(byte)))).toEqual(frames);
  });

  test('cannot be mistaken for the text of an error, which is quoted', () => {
    const text = 'Error grabbing logs: incomplete log stream: node q1 is not available\n';

    const read = () => new LaneFrameDecoder().push(Buffer.from(text));

    expect(read).toThrow(FrameError);
    expect(read).toThrow('“Error grabbing logs: incomplete log stream: node q1 is not available”');
  });

  test.each([
    ['that is larger than any piece', Uint8Array.of(0, 8, 0, 0)],
    ['without room for its head', Uint8Array.of(0, 0, 0, 4)],
    ['of an unknown kind', Uint8Array.of(0, 0, 0, 5, 0, 0, 0, 1, 99)],
  ])('are refused: one %s', (_, bytes) => {
    expect(() => new LaneFrameDecoder().push(bytes)).toThrow(FrameError);
  });
});
