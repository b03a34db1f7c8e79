import { randomUUID } from 'node:crypto';
import type { ServedEnvironment, ServedSession } from '../served-environment.ts';

/** A session in the registry. It handles requests in order. */
export class OpenSession {
  readonly id = randomUUID();
  readonly session: ServedSession;
  /** A WebSocket uses it. */
  attached = false;
  /** It closes when its WebSocket ends. */
  closing = false;
  lastUsed = performance.now();
  #tail: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(session: ServedSession) {
    this.session = session;
  }

  /** Whether it has unfinished requests. */
  get busy(): boolean {
    return this.#waiting > 0;
  }

  /** Runs one action after another. Settles as the action does. */
  inTurn<T>(act: (session: ServedSession) => Promise<T> | T): Promise<T> {
    this.#waiting += 1;
    const result = this.#tail.then(() => act(this.session));
    this.#tail = result
      // The caller handles the error; the next request runs anyway.
      .catch(() => undefined)
      .finally(() => {
        this.#waiting -= 1;
        this.lastUsed = performance.now();
      });
    return result;
  }
}

/** No session is free. The message is OpenEnv's. */
export class AtCapacity extends Error {
  readonly active: number;
  readonly max: number;
  constructor(active: number, max: number) {
    super(`Server at capacity: ${active}/${max} sessions active. Cannot accept new connections.`);
    this.name = 'AtCapacity';
    this.active = active;
    this.max = max;
  }
}

/** The open sessions of a server: at most `max`, each used within the last `idleMs`. */
export class Sessions {
  readonly #environment: ServedEnvironment;
  readonly #max: number;
  readonly #idleMs: number;
  readonly #open = new Map<string, OpenSession>();
  readonly #closing = new Set<Promise<void>>();
  /** Sessions of one request each. */
  readonly #brief = new Set<ServedSession>();
  readonly #timer: NodeJS.Timeout;

  constructor(environment: ServedEnvironment, { max, idleMs }: { readonly max: number; readonly idleMs: number }) {
    this.#environment = environment;
    this.#max = max;
    this.#idleMs = idleMs;
    this.#timer = setInterval(() => this.#closeIdle(), Math.min(idleMs, 30_000));
    this.#timer.unref();
  }

  /** Opens a session. Throws `AtCapacity`. */
  open(): OpenSession {
    // A session counts until everything that it runs has ended.
    const active = this.#open.size + this.#closing.size;
    if (active >= this.#max) throw new AtCapacity(active, this.#max);
    const session = new OpenSession(this.#environment.open());
    this.#open.set(session.id, session);
    return session;
  }

  /** Uses a session for one request. There are as many of these as of others, beside them. Throws `AtCapacity`. */
  async briefly<T>(act: (session: ServedSession) => Promise<T>): Promise<T> {
    const active = this.#brief.size;
    if (active >= this.#max) throw new AtCapacity(active, this.#max);
    const session = this.#environment.open();
    this.#brief.add(session);
    try {
      return await act(session);
    } finally {
      await session.close(false);
      this.#brief.delete(session);
    }
  }

  get(id: string): OpenSession | undefined {
    return this.#open.get(id);
  }

  /** Closes a session, including a step in progress. `isAbandoned`: its client did not report that it is done. */
  close(open: OpenSession, isAbandoned: boolean): Promise<void> {
    if (!this.#open.delete(open.id)) return Promise.resolve();
    const closing = open.session.close(isAbandoned);
    this.#closing.add(closing);
    return closing.finally(() => this.#closing.delete(closing));
  }

  async closeAll(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([
      ...[...this.#open.values()].map((held) => this.close(held, true)),
      ...[...this.#brief].map((session) => session.close(true)),
      ...this.#closing,
    ]);
  }

  /** Called when a session ends because it was idle. */
  onIdle: (open: OpenSession) => void = () => undefined;

  #closeIdle(): void {
    const now = performance.now();
    for (const open of this.#open.values()) {
      if (open.busy || now - open.lastUsed < this.#idleMs) continue;
      this.onIdle(open);
      void this.close(open, true);
    }
  }
}
