import type { PanelState } from '../src/presentation/runs/messages.ts';
import type { Host } from './host.ts';
import { type State, shownStep } from './store.ts';

/** Posts messages to the extension when the state changes. Called at most once per frame. */
export function effects(host: Host): (state: State) => void {
  let live = false;
  let runId: string | null = null;
  let saved: PanelState | null = null;
  const requested = { text: new Set<number>(), raw: new Set<number>() };

  return (state) => {
    const { run } = state;
    if (run?.runId !== runId) {
      runId = run?.runId ?? null;
      live = false;
      requested.text.clear();
      requested.raw.clear();
    }
    const wantsLive = state.live && state.picture === 'live' && document.visibilityState === 'visible';
    if (wantsLive !== live) {
      live = wantsLive;
      host.post({ type: 'live', on: live });
    }
    const step = shownStep(state);
    if (step !== null) {
      const wantsText = state.tab === 'step' || state.tab === 'observation';
      if (wantsText && step.hasText) ask('text', step.index, state.texts);
      if (state.tab === 'raw') ask('raw', step.index, state.raws);
    }
    if (run !== null && run.traceDir !== null) {
      const { traceDir } = run;
      const { select, tab, picture } = state;
      if (saved?.traceDir !== traceDir || saved.select !== select || saved.tab !== tab || saved.picture !== picture) {
        saved = { traceDir, select, tab, picture };
        host.save(saved);
      }
    }
  };

  /** Requests data once. Data that was evicted can be requested again. */
  function ask(type: 'text' | 'raw', index: number, loaded: ReadonlyMap<number, unknown>): void {
    if (loaded.has(index)) {
      requested[type].delete(index);
    } else if (!requested[type].has(index)) {
      requested[type].add(index);
      host.post({ type, index });
    }
  }
}
