import type { ActionInput, Point, Screen } from '../actions/action.ts';
import type {
  EnvironmentUrls,
  Observation,
  Offer,
  Pointed,
  StartResult,
  StepResult,
} from '../environments/environment.ts';
import type { ListedTool } from '../environments/mcp/listed-tools.ts';
import type { ModelTurn } from '../traces/model-turn.ts';

/** What an agent gets before each answer. */
export interface Turn {
  readonly prompt: string;
  /** Number of answers so far. */
  readonly step: number;
  readonly observation: Observation;
  /** The environment's own reward at the last step, if it has one. */
  readonly reward: number | null;
  readonly terminated: boolean;
  /** Why the agent's last action failed. */
  readonly error: { readonly message: string; readonly code: string } | null;
  /** The tools of an environment whose actions are calls of tools. */
  readonly tools: readonly ListedTool[];
}

/** What an agent does next: one action, or several that are carried out together; null means that it is done. */
export type Answer = ActionInput | readonly ActionInput[] | null;

/** An answer, with the turn of the model if the agent is one. */
export interface Reply {
  readonly actions: Answer;
  readonly turn?: ModelTurn;
}

/** What the evaluate calls of a task give before the run has ended. */
export interface Judgement {
  /** Null if the task has no evaluate call, or if a call has no valid value yet. */
  readonly reward: number | null;
}

/**
 * What an agent can request from the run between two actions. Only agents in this process do: the user at the run panel,
 * the client of a served task, the program that uses the library, and the tools of an external agent. Agents in other
 * processes get only turns.
 */
export interface RunInspector {
  /** The element at a point of the viewport in CSS pixels; with null, the element that has the focus. */
  findElement(point: Point | null, signal: AbortSignal): Promise<Pointed | null>;
  /** JSON Schema of an action, if the environment publishes one. */
  readonly actions: StartResult['actions'] | null;
  /** What agents can act on, if only a running environment knows. */
  readonly offers: readonly Offer[];
  /** The last result of the environment. */
  last(): StepResult;
  /** Runs the evaluate calls without recording them. Rejects if the session ends. */
  judge(): Promise<Judgement>;
  /** Where the environment can be viewed. Rejects if the session ends. */
  urls(): Promise<EnvironmentUrls>;
}

/** Carries out an answer after the run is graded. `isOver`: the environment or the limit of steps ends it now. */
export type LateStep = (
  answer: Exclude<Answer, null>,
) => Promise<{ readonly result: StepResult; readonly isOver: boolean }>;

/** Maps observations to actions. */
export interface Agent {
  /** Called before the first turn. */
  attach?(inspector: RunInspector): void;
  /** Rejects with `AgentError` if the agent failed, and with the signal's reason when the signal is aborted. */
  act(turn: Turn, signal: AbortSignal): Promise<Reply>;
  /** Called when the environment reports `terminated`. The agent cannot answer any more. */
  finish?(turn: Turn): void;
  /**
   * Called when the run is graded, before its environment closes, which waits for it. What it does then is neither recorded nor
   * judged.
   */
  linger?(reward: number | null, step: LateStep, signal: AbortSignal): Promise<void>;
  /** The resolution of the agent's coordinates, if it declared one; known after its first answer. */
  readonly screen?: Screen | undefined;
  /** Whether results also have the HTML of the page. */
  readonly readsHtml?: true;
  /** True if the next answer is known to be null: a run that ends there was not truncated. */
  readonly exhausted?: boolean;
  /** Ends the agent and all processes that it started. */
  close(): Promise<void>;
}
