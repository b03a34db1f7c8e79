import { dirname } from 'node:path';
import type { Json } from '../../../src/base/json.ts';
import type { StartResult, StepResult } from '../../../src/environments/environment.ts';
import type { ErrorCode } from '../../../src/environments/faults.ts';
import {
  type EnvironmentServer,
  type Lease,
  type OpenOptions,
  type Placement,
  type RunningEnvironment,
  ServerError,
} from '../../../src/placement/placement.ts';
import type { CallOutcome, Method, Params } from '../../../src/server/protocol.ts';
import type { Results, ServerEvent } from '../../../src/server/results.ts';
import type { PlacementKind } from '../../../src/tasks/placement-kind.ts';
import type { Call, Task } from '../../../src/tasks/task.ts';

/** What an environment answers in a test; each may look at what it is asked. */
export interface FakeAnswers {
  /** The place is made: resolves when it stands. */
  open?(options: OpenOptions): Promise<void>;
  /** What is special about the place. */
  readonly lease?: Partial<Pick<Lease, 'debugged' | 'host' | 'address'>>;
  reset?(params: Params<'session.reset'>): StepResult & Pick<StartResult, 'goal' | 'actions'>;
  step?(params: Params<'session.step'>, count: number): StepResult | Promise<StepResult>;
  setup?(call: Call): CallOutcome | Promise<CallOutcome>;
  evaluate?(call: Call): CallOutcome | Promise<CallOutcome>;
  /** What the page says to a question; may throw. */
  look?(params: Params<'session.query'>): Json;
  /** Moments are asked together; may throw. */
  judge?(params: Params<'session.evaluateSnapshots'>): void;
  /** What the recording lacks; may throw. */
  restore?(params: Params<'session.restore'>): readonly string[];
}

const PNG = new Uint8Array([137, 80, 78, 71]);

export function seen(text: string, more: Partial<StepResult> = {}): StepResult {
  const screenshot = { type: 'png', data: PNG, width: 1, height: 1 } as const;
  return { observation: { text, screenshot }, reward: null, terminated: false, info: {}, error: null, ...more };
}

export function verdict(value: number | null, reason = 'because'): CallOutcome {
  return { value, reason, duration_ms: 1, step: null };
}

export function never<T>(): Promise<T> {
  return new Promise(() => {});
}

/** A placement whose one server lives in this process and answers as the test says. */
export class FakePlacement implements Placement {
  readonly kind: PlacementKind;
  readonly requests: { method: Method; params: unknown }[] = [];
  readonly #answers: FakeAnswers;
  readonly #listeners = new Set<(event: ServerEvent) => void>();
  readonly #ended = Promise.withResolvers<{ code: ErrorCode; message: string }>();
  #opened = 0;
  #steps = 0;
  sessions = new Set<string>();
  disposed = false;
  /** Disposed placements. */
  released = 0;

  constructor(answers: FakeAnswers = {}, kind: PlacementKind = 'local') {
    this.kind = kind;
    this.#answers = answers;
  }

  /** The methods that were asked, in their order. */
  get methods(): Method[] {
    return this.requests.map((request) => request.method);
  }

  say(event: ServerEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  /** The server is gone. */
  die(code: ErrorCode, message: string): void {
    this.#ended.resolve({ code, message });
  }

  async open(task: Task, options: OpenOptions): Promise<Lease> {
    await this.#answers.open?.(options);
    const server: EnvironmentServer = {
      request: (method, params, signal) => this.#request(method, params, signal),
      onEvent: (listener) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
      whenEnded: this.#ended.promise,
      dispose: async () => {},
      reach: async (port) => port,
    };
    return {
      server,
      files: { folder: dirname(task.file) },
      ...this.#answers.lease,
      release: async () => {
        this.released += 1;
      },
    };
  }

  running(): readonly RunningEnvironment[] {
    return [];
  }

  async dispose(): Promise<void> {
    this.disposed = true;
  }

  async #request<M extends Method>(method: M, params: Params<M>, signal?: AbortSignal): Promise<Results[M]> {
    signal?.throwIfAborted();
    this.requests.push({ method, params });
    const aborted = new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    return (await Promise.race([this.#answer(method, params), aborted])) as Results[M];
  }

  async #answer(method: Method, params: unknown): Promise<unknown> {
    switch (method) {
      case 'session.open': {
        this.#opened += 1;
        const session = `s${this.#opened}`;
        this.sessions.add(session);
        return { session };
      }
      case 'session.reset':
        return {
          ...(this.#answers.reset?.(params as Params<'session.reset'>) ?? { ...seen('start'), goal: null }),
          folder: '/tasks',
        };
      case 'session.step':
        this.#steps += 1;
        return (
          (await this.#answers.step?.(params as Params<'session.step'>, this.#steps)) ??
          seen(`after step ${this.#steps}`)
        );
      case 'session.finish':
        return seen('after the dialog');
      case 'session.setup': {
        const { call } = params as Params<'session.setup'>;
        return (await this.#answers.setup?.(call)) ?? { ...verdict(null), step: seen(`after ${call.function}`) };
      }
      case 'session.evaluate':
        return (await this.#answers.evaluate?.((params as Params<'session.evaluate'>).call)) ?? verdict(1);
      case 'session.query':
        return { answer: this.#answers.look?.(params as Params<'session.query'>) ?? null };
      case 'session.provideFiles':
        return { folder: '/tasks' };
      case 'session.inspect':
        return { port: 9229 };
      case 'session.debugPython':
        return { entry: { file: 'cart.functions.py', line: 2 }, programs: ['/taskwright/host.py'] };
      case 'session.restore':
        return { gaps: this.#answers.restore?.(params as Params<'session.restore'>) ?? [] };
      case 'session.evaluateSnapshots': {
        const { moments, ...where } = params as Params<'session.evaluateSnapshots'>;
        this.#answers.judge?.(params as Params<'session.evaluateSnapshots'>);
        const judged = [];
        for (const moment of moments) judged.push(await this.#judge({ ...where, ...moment }));
        return { judged };
      }
      case 'session.close':
        this.sessions.delete((params as Params<'session.close'>).session);
        return {};
      case 'session.live':
        return {};
      default:
        throw new ServerError('unknown_method', `The fake answers no ${method}.`);
    }
  }

  /** As if each moment was restored and each call asked; null where it cannot stand there. */
  async #judge({ calls, ...where }: Params<'session.restore'> & { readonly calls: readonly Call[] }) {
    try {
      const gaps = this.#answers.restore?.(where) ?? [];
      const outcomes: CallOutcome[] = [];
      for (const call of calls) outcomes.push((await this.#answers.evaluate?.(call)) ?? verdict(1));
      return { gaps, outcomes };
    } catch {
      return null;
    }
  }
}
