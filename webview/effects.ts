import type { PanelState } from '../src/presentation/runs/messages.ts';
import type { Host } from './host.ts';
import { type State, shownStep } from './store.ts';

/** Posts messages to the extension when the state changes. Called at most once per frame. */
export function effects(host: Host): (state: State) => void {
  let live = false;
  let runId: string | null = null;
  let lastState: PanelState | null = null;
  const requests = { text: new Set<number>(), raw: new Set<number>() };

  return (state) => {
    const { run } = state;
    if (run?.runId !== runId) {
      runId = run?.runId ?? null;
      live = false;
      requests.text.clear();
      requests.raw.clear();
    }
    const wantsLive = state.live && state.picture === 'live' && document.visibilityState === 'visible';
    if (wantsLive !== live) {
      live = wantsLive;
      host.post({ type: 'live', on: live });
    }
    const step = shownStep(state);
    if (step !== null) {
      const wantsText = state.tab === 'step' || state.tab === 'observation';
      if (wantsText && step.hasText) request('text', step.index, state.texts);
      if (state.tab === 'raw') request('raw', step.index, state.raws);
    }
    if (run !== null && run.traceDir !== null) {
      const { traceDir } = run;
      const { select, tab, picture } = state;
      if (
        lastState?.traceDir !== traceDir ||
        lastState.select !== select ||
        lastState.tab !== tab ||
        lastState.picture !== picture
      ) {
        lastState = { traceDir, select, tab, picture };
        host.save(lastState);
      }
    }
  };

  /** Requests data once. Data that was evicted can be requested again. */
  function request(type: 'text' | 'raw', index: number, cache: ReadonlyMap<number, unknown>): void {
    if (cache.has(index)) {
      requests[type].delete(index);
    } else if (!requests[type].has(index)) {
      requests[type].add(index);
      host.post({ type, index });
    }
  }
}
