import type { Method, Params, Results, ServerEvent } from '../server/protocol.ts';

/** A running environment server, wherever it runs: a child process here, a container, later a remote address. */
export interface EnvironmentServer {
  /** Asks over the control channel. Rejects with `ServerError` where the server says no or has gone. */
  request<M extends Method>(method: M, params: Params<M>, signal?: AbortSignal): Promise<Results[M]>;
  /** Everything the server says unasked. Returns the function that stops listening. */
  onEvent(listener: (event: ServerEvent) => void): () => void;
  /** Resolves with the reason once the server has ended, however it ended. */
  readonly ended: Promise<{ readonly code: string; readonly message: string }>;
  /** Ends the server and everything it started. Resolves when nothing of it is left. */
  dispose(): Promise<void>;
}

/** Where environments run. One placement keeps one server and starts it when it is first asked for. */
export interface Placement {
  readonly kind: 'local' | 'docker';
  /** The running server; starts it, or a new one where the last has died. */
  server(signal?: AbortSignal): Promise<EnvironmentServer>;
  /** True where the server sees this machine's files: a task's folder is then told of, else its files are handed over. */
  readonly seesFiles: boolean;
  dispose(): Promise<void>;
}

export class ServerError extends Error {
  readonly code: string;
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ServerError';
    this.code = code;
  }
}
