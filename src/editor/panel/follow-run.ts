import { setTimeout as delay } from 'node:timers/promises';
import type { Added } from '../../presentation/runs/followed-run.ts';
import type { ReadableRun } from '../../presentation/runs/readable-run.ts';
import type { RunEvent } from '../../runs/events.ts';
import type { LiveRun } from '../runs/live-run.ts';
import type { RunPage } from './run-page.ts';

/** Milliseconds between two looks at a run in progress in another process. */
const FOLLOW_MS = 500;

/** What a panel does while a run is in progress. */
interface FollowingPanel {
  /** The run or the state of the panel changed. */
  onChange(): void;
  updateTab(): void;
  postRun(): Promise<void>;
  postStep(index: number): Promise<void>;
  postEnd(): Promise<void>;
}

/** Shows a run in progress in this window. Returns a function that stops following it. */
export function followLiveRun(run: LiveRun, page: RunPage, panel: FollowingPanel): () => void {
  const { manualInput } = run;
  const stops = [
    run.onEvent((event) => showEvent(run, event, page, panel)),
    run.onPause(() => {
      panel.updateTab();
      void panel.postRun();
    }),
    manualInput?.onTyping(() => page.update({ type: 'typing', text: manualInput.typing })),
  ];
  return () => {
    for (const stop of stops) stop?.();
  };
}

function showEvent(run: LiveRun, event: RunEvent, page: RunPage, panel: FollowingPanel): void {
  switch (event.type) {
    case 'frame': {
      const { width, height, data: bytes } = event.picture;
      const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
      page.frames.add({ type: 'frame', width, height, data });
      break;
    }
    case 'hidden':
    case 'actions':
    case 'waiting':
      void panel.postRun();
      break;
    case 'started':
      page.allowPictures(run.traceDir);
      panel.updateTab();
      void panel.postRun();
      panel.onChange();
      break;
    case 'ended':
      panel.updateTab();
      void panel.postEnd();
      panel.onChange();
      break;
    case 'phase':
      page.update({ type: 'phase', text: run.phase });
      break;
    case 'doing':
      page.update({ type: 'doing', text: event.text });
      break;
    case 'retry':
      if (page.filled) void panel.postRun();
      break;
    case 'step':
      if (!page.filled) break;
      // The environment sends a frame of each step before the step.
      page.frames.flush();
      void panel.postStep(event.step.index);
      break;
  }
}

/**
 * Shows the steps of a run in another process as they are recorded. Its end is shown as another run.
 * @param refresh reads what was added; see `ReadableRun.refresh`
 * @param onFailure the run cannot be read, and is no longer followed
 * @returns a function that stops following it
 */
export function followOtherRun(
  run: ReadableRun,
  refresh: () => Promise<Added>,
  panel: Pick<FollowingPanel, 'postRun' | 'postStep'>,
  onFailure: (error: unknown) => void,
): () => void {
  let isStopped = false;
  const follow = async (): Promise<void> => {
    let shownSteps = (await run.steps()).length;
    while (!isStopped) {
      const additions = await refresh();
      const steps = await run.steps();
      if (additions === 'all') await panel.postRun();
      if (additions === 'steps') for (const { index } of steps.slice(shownSteps)) await panel.postStep(index);
      shownSteps = steps.length;
      await delay(FOLLOW_MS);
    }
  };
  follow().catch(onFailure);
  return () => {
    isStopped = true;
  };
}
