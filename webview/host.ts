import type { HostMessage, PanelMessage, PanelState } from '../src/presentation/runs/messages.ts';

interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

/** The extension behind the page. */
export interface Host {
  post(message: PanelMessage): void;
  /** The state before a reload; null if there is none or it is invalid. */
  saved(): PanelState | null;
  save(state: PanelState): void;
  listen(listener: (message: HostMessage) => void): void;
}

export function connectHost(): Host {
  const api = acquireVsCodeApi();
  return {
    post: (message) => api.postMessage(message),
    saved: () => readState(api.getState()),
    save: (state) => api.setState(state),
    listen(listener) {
      window.addEventListener('message', (event: MessageEvent<HostMessage>) => listener(event.data));
    },
  };
}

function readState(value: unknown): PanelState | null {
  if (typeof value !== 'object' || value === null) return null;
  const { traceDir, select, tab, picture } = value as Partial<Record<keyof PanelState, unknown>>;
  if (typeof traceDir !== 'string' || typeof tab !== 'string' || typeof picture !== 'string') return null;
  return { traceDir, tab, picture, select: typeof select === 'number' ? select : null };
}
