import type { Container } from './container.ts';
import type { ContainerSpec } from './create-options.ts';

/** How long containers stay ready after the last run, in ms. */
const IDLE_LIMIT = 10 * 60_000;

export interface PoolOptions {
  /** Number of containers to prepare. */
  readonly size: number;
  start(spec: ContainerSpec, signal: AbortSignal): Promise<Container>;
  log(text: string): void;
}

/** Prepared containers for the next run of what ran last in each image. */
export class Pool {
  readonly #options: PoolOptions;
  readonly #stop = new AbortController();
  readonly #ready = new Map<Container, string>();
  readonly #starting = new Set<{
    readonly key: string;
    readonly stop: AbortController;
    readonly whenSettled: Promise<void>;
  }>();
  #idle: NodeJS.Timeout | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** A prepared container that matches; null if there is none. */
  take(spec: ContainerSpec): Container | null {
    this.#idle?.refresh();
    const key = keyOf(spec);
    const [container = null] = [...this.#ready].find(([, other]) => other === key) ?? [];
    if (container !== null) this.#ready.delete(container);
    return container;
  }

  /** Prepares containers for the next run of this kind, and ends those of the same image that do not match. */
  fill(spec: ContainerSpec): void {
    const { size } = this.#options;
    if (size === 0 || this.#stop.signal.aborted) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.#clear(), IDLE_LIMIT);
    this.#idle.unref();
    const key = keyOf(spec);
    void this.#clear((other) => other !== key && imageOf(other) === spec.image);
    const waiting = [...this.#ready.values(), ...[...this.#starting].map((starting) => starting.key)];
    for (let ready = waiting.filter((other) => other === key).length; ready < size; ready += 1) this.#add(spec, key);
  }

  #add(spec: ContainerSpec, key: string): void {
    const stop = new AbortController();
    const whenSettled = this.#options.start(spec, AbortSignal.any([stop.signal, this.#stop.signal])).then(
      async (container) => {
        this.#starting.delete(entry);
        if (stop.signal.aborted || this.#stop.signal.aborted) {
          await container.dispose();
          return;
        }
        this.#ready.set(container, key);
        void container.whenEnded.then(() => this.#ready.delete(container));
      },
      (error: Error) => {
        this.#starting.delete(entry);
        if (!stop.signal.aborted && !this.#stop.signal.aborted) {
          this.#options.log(`A container for the next run could not be prepared: ${error.message}`);
        }
      },
    );
    const entry = { key, stop, whenSettled };
    this.#starting.add(entry);
  }

  async #clear(matches: (key: string) => boolean = () => true): Promise<void> {
    const pending: Promise<void>[] = [];
    for (const starting of [...this.#starting]) {
      if (!matches(starting.key)) continue;
      this.#starting.delete(starting);
      starting.stop.abort();
      pending.push(starting.whenSettled);
    }
    for (const [container, key] of [...this.#ready]) {
      if (!matches(key)) continue;
      this.#ready.delete(container);
      pending.push(container.dispose());
    }
    await Promise.all(pending);
  }

  /** Removes all prepared containers and prepares no more. */
  async dispose(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#idle);
    await this.#clear();
  }
}

function keyOf({ image, folder, limits, miniwob }: ContainerSpec): string {
  return JSON.stringify([image, folder, miniwob, limits.cpus, limits.memory, limits.pids, limits.network]);
}

function imageOf(key: string): string {
  return (JSON.parse(key) as [string])[0];
}
