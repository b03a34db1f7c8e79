import { setTimeout as pause } from 'node:timers/promises';
import type { Picture } from '../environment.ts';

/** The minimum interval of live frames in ms. */
const FRAME_PACE = 33;

/**
 * Passes each changed frame until the returned function is called. Frames that come too fast are skipped. `watchers`: called
 * when the screen changes.
 */
export function liveFrames(
  watchers: Set<() => void>,
  take: () => Promise<Picture>,
  frame: (picture: Picture) => void,
  onError: (error: Error) => void,
): () => Promise<void> {
  let [isStopped, isDirty] = [false, true];
  let wake = Promise.withResolvers<void>();
  let last: Picture | null = null;
  const watcher = (): void => {
    isDirty = true;
    wake.resolve();
  };
  watchers.add(watcher);
  const run = async (): Promise<void> => {
    while (!isStopped) {
      if (!isDirty) await wake.promise;
      if (isStopped) return;
      wake = Promise.withResolvers<void>();
      isDirty = false;
      const start = performance.now();
      const picture = await take();
      if (isStopped) return;
      if (picture !== last) frame(picture);
      last = picture;
      await pause(Math.max(0, FRAME_PACE - (performance.now() - start)));
    }
  };
  const running = run().catch((error: Error) => {
    if (!isStopped) onError(error);
  });
  return async () => {
    isStopped = true;
    watchers.delete(watcher);
    wake.resolve();
    await running;
  };
}
