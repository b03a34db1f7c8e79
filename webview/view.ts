import type { Host } from './host.ts';
import type { State, Store } from './store.ts';

/** One part of the page. `update` is called at most once a frame and compares what it draws with the state before. */
export interface View {
  readonly element: HTMLElement;
  update(state: State, before: State): void;
}

/** What parts of the page can do. */
export interface Tools {
  readonly store: Store;
  readonly host: Host;
}

/** Calls `draw` once for any number of changes in one frame. */
export function oncePerFrame(draw: () => void): () => void {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      draw();
    });
  };
}
