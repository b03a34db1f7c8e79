import type { CDPSession, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { Live } from '../../../src/environments/browser/live/live-view.ts';
import type { Tab } from '../../../src/environments/browser/pages/tab.ts';
import type { Picture } from '../../../src/environments/environment.ts';

type Frame = (event: { data: string; sessionId: number; metadata: object }) => void;

/** A tab whose screencast sends what `cast` is given: the picture's text, and when it was drawn. */
async function following(frames: Picture[]): Promise<{ live: Live; cast(text: string, drawnAt: number): void }> {
  let listener: Frame = () => undefined;
  const session = {
    on: (_event: string, heard: Frame) => {
      listener = heard;
    },
    send: async () => undefined,
    detach: async () => undefined,
  } as unknown as CDPSession;
  const page = {
    isClosed: () => false,
    context: () => ({ newCDPSession: async () => session }),
  } as unknown as Page;
  const live = new Live(
    (picture) => frames.push(picture),
    () => undefined,
  );
  await live.follow({
    page,
    viewport: { width: 300, height: 200 },
    liveViews: 0,
    fitView: () => undefined,
  } as unknown as Tab);
  return {
    live,
    cast: (text, drawnAt) => {
      const metadata = { deviceWidth: 300, deviceHeight: 200, timestamp: drawnAt / 1000 };
      listener({ data: Buffer.from(text).toString('base64'), sessionId: 1, metadata });
    },
  };
}

const texts = (shown: readonly Picture[]): string[] => shown.map(({ data }) => Buffer.from(data).toString());
const screenshot: Picture = { type: 'png', data: Buffer.from('thumbnail'), width: 450, height: 300 };

it('a live view is never older than the last screenshot', async () => {
  const frames: Picture[] = [];
  const { live, cast } = await following(frames);
  cast('before', 1_000);
  live.show(screenshot, 1.5, 2_000);
  // On its way when the screenshot was taken.
  cast('late', 1_500);
  expect(texts(frames)).toEqual(['before', 'thumbnail']);
  expect(frames[1]).toMatchObject({ type: 'png', width: 300, height: 200 });
  cast('after', 3_000);
  expect(texts(frames)).toEqual(['before', 'thumbnail', 'after']);
});

it('a live view that is newer than a screenshot stays', async () => {
  const frames: Picture[] = [];
  const { live, cast } = await following(frames);
  cast('newer', 3_000);
  live.show(screenshot, 1.5, 2_000);
  expect(texts(frames)).toEqual(['newer']);
});
