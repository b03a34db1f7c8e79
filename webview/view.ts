import type { Host } from './host.ts';
import type { State, Store } from './store.ts';

/** A part of the page. `update` is called at most once per frame. */
export interface View {
  readonly element: HTMLElement;
  update(state: State, before: State): void;
}

/** What parts of the page use. */
export interface Tools {
  readonly store: Store;
  readonly host: Host;
}

/** Calls `draw` once per frame for any number of changes. */
export function oncePerFrame(draw: () => void): () => void {
  let isScheduled = false;
  return () => {
    if (isScheduled) return;
    isScheduled = true;
    requestAnimationFrame(() => {
      isScheduled = false;
      draw();
    });
  };
}
