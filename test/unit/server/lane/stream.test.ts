import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { Kind, LaneFrame } from '../../../../src/server/lane/frames.ts';
import { LANE_WINDOW, LaneStream } from '../../../../src/server/lane/stream.ts';

/** Two sides of a lane; `held` keeps the frames to the right side until `deliver`. */
function pair() {
  const heldFrames: LaneFrame[] = [];
  const frameOf = (kind: Kind, payload: Uint8Array = Buffer.alloc(0)): LaneFrame => ({
    connection: 0,
    kind,
    payload: Buffer.from(payload),
  });
  const left: LaneStream = new LaneStream((kind, payload) => void heldFrames.push(frameOf(kind, payload)));
  const right: LaneStream = new LaneStream((kind, payload) => left.receive(frameOf(kind, payload)));
  const deliver = () => {
    for (const frame of heldFrames.splice(0)) right.receive(frame);
  };
  return { left, right, held: heldFrames, deliver };
}

const bytesIn = (frames: readonly LaneFrame[]) => frames.reduce((sum, { payload }) => sum + payload.byteLength, 0);

describe('a lane', () => {
  test('carries bytes as they are, and its end', async () => {
    const { left, right, deliver } = pair();
    const parts: Buffer[] = [];
    right.on('data', (data: Buffer) => parts.push(data));
    const sent = Buffer.from(Array.from({ length: 200_000 }, (_, index) => index % 251));

    left.write(sent);
    left.end();
    const ended = once(right, 'end');
    deliver();
    await ended;

    expect(Buffer.concat(parts).equals(sent)).toBe(true);
  });

  test('holds no more than a window until the other side has taken it', async () => {
    const { left, right, held, deliver } = pair();
    let isWritten = false;

    left.write(Buffer.alloc(3 * LANE_WINDOW), () => {
      isWritten = true;
    });

    expect(bytesIn(held)).toBe(LANE_WINDOW);
    deliver();
    // Nobody reads there.
    expect(bytesIn(held)).toBe(0);
    expect(isWritten).toBe(false);
    let byteCount = 0;
    right.on('data', (data: Buffer) => {
      byteCount += data.byteLength;
    });
    await expect
      .poll(() => {
        expect(bytesIn(held)).toBeLessThanOrEqual(LANE_WINDOW);
        deliver();
        return byteCount;
      })
      .toBe(3 * LANE_WINDOW);
    expect(isWritten).toBe(true);
  });

  test('says when its log has to wait, and when it can go on', () => {
    const { left, right, deliver } = pair();
    let windows = 0;
    let log = 0;
    left.on('window', () => {
      windows += 1;
    });
    right.on('log', (text: Buffer) => {
      log += text.byteLength;
    });

    left.log(Buffer.alloc(LANE_WINDOW));

    expect(left.congested).toBe(true);
    deliver();
    expect(left.congested).toBe(false);
    expect(windows).toBeGreaterThan(0);
    expect(log).toBe(LANE_WINDOW);
  });
});
