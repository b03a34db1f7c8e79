import type { RunEvent as EngineEvent } from '../runs/events.ts';
import type { RunEvent } from './api.ts';

/** An event of a run as the library reports it; null for events that only a view needs, and for the end of an attempt. */
export function publicEvent(
  event: EngineEvent,
  of: { readonly run_id: string; readonly task_id: string },
): RunEvent | null {
  const { run_id, task_id } = of;
  switch (event.type) {
    case 'started': {
      const { seed, prompt } = event.header;
      return { type: 'started', run_id, task_id, seed, prompt, trace_dir: event.traceDir };
    }
    case 'phase':
    case 'doing':
    case 'step':
    case 'log':
    case 'waiting':
    case 'retry':
      return { ...event, run_id, task_id };
    default:
      return null;
  }
}

/** Reports events to the listener of a program. An error in the listener does not affect the run. */
export function reporterOf(listener: ((event: RunEvent) => void) | undefined): (event: RunEvent | null) => void {
  return (event) => {
    if (event === null) return;
    try {
      listener?.(event);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  };
}
