import { CodedError } from '../base/coded-error.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { ListedTool } from '../environments/mcp/listed-tools.ts';

/** The answer to `reset` and `step`. */
export interface ServedResult {
  /** The observation as JSON: bytes, because a screenshot is millions of numbers, in pieces, which are joined once. */
  readonly observation: readonly Buffer[];
  /** Facts beside the observation; an empty object if there are none. */
  readonly metadata: JsonObject;
  readonly reward: number | null;
  readonly done: boolean;
}

/** An error whose message the client gets, and after which its session continues. */
export class ServedError extends CodedError<
  'unknown_task' | 'bad_argument' | 'not_reset' | 'episode_over' | 'task_failed'
> {
  override readonly name = 'ServedError';
}

/** One session of a client: one environment, in which one episode follows another. Calls do not overlap. */
export interface ServedSession {
  /** Rejects with `ServedError`. */
  reset(args: JsonObject): Promise<ServedResult>;
  /** Rejects with `ServedError`. */
  step(action: string): Promise<ServedResult>;
  /**
   * A step of an agent, which does not learn of a success: later actions are carried out, and change no reward. Rejects with
   * `ServedError`.
   */
  act(action: string): Promise<void>;
  state(): JsonObject;
  /** The tools of its environment, whose calls are actions; none before the first reset. */
  tools(): readonly ListedTool[];
  /** The last observation for an agent: its text, and nothing of rewards. Null before the first reset. */
  observe(): string | null;
  /** `isAbandoned`: the client did not report that it is done. Never rejects. */
  close(isAbandoned: boolean): Promise<void>;
}

/** What a server serves. */
export interface ServedEnvironment {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly schemas: {
    readonly action: Json;
    readonly observation: Json;
    readonly state: Json;
  };
  /** The names of the splits, in order. */
  splits(): Promise<readonly string[]>;
  /** The public parts of the tasks of a split, without evaluate calls and solutions; none for an unknown split. */
  tasks(split: string): Promise<readonly JsonObject[]>;
  open(): ServedSession;
}
