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
  failed: (error: Error) => void,
): () => Promise<void> {
  let [stopped, dirty] = [false, true];
  let wake = Promise.withResolvers<void>();
  let given: Picture | null = null;
  const watcher = (): void => {
    dirty = true;
    wake.resolve();
  };
  watchers.add(watcher);
  const run = async (): Promise<void> => {
    while (!stopped) {
      if (!dirty) await wake.promise;
      if (stopped) return;
      wake = Promise.withResolvers<void>();
      dirty = false;
      const begun = performance.now();
      const picture = await take();
      if (stopped) return;
      if (picture !== given) frame(picture);
      given = picture;
      await pause(Math.max(0, FRAME_PACE - (performance.now() - begun)));
    }
  };
  const running = run().catch((error: Error) => {
    if (!stopped) failed(error);
  });
  return async () => {
    stopped = true;
    watchers.delete(watcher);
    wake.resolve();
    await running;
  };
}
