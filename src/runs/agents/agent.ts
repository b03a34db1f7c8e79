import type { ActionInput, Point, Screen } from '../../actions/action.ts';
import type { Observation, Pointed } from '../../environments/environment.ts';

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
}

/** What an agent does next; null means that it is done. */
export type Answer = ActionInput | readonly ActionInput[] | null;

/** Questions about the page that only the manual agent can ask between two actions. */
export interface PageInspector {
  /** The element at a point of the viewport in CSS pixels; with null, the element that has the focus. */
  pointed(point: Point | null, signal: AbortSignal): Promise<Pointed | null>;
}

/** Maps observations to actions. */
export interface Agent {
  /** Called before the first turn. */
  attach?(inspector: PageInspector): void;
  /** Rejects with `AgentError` if the agent failed, and with the signal's reason when the signal is aborted. */
  act(turn: Turn, signal: AbortSignal): Promise<Answer>;
  /** Called when the environment reports `terminated`. The agent cannot answer any more. */
  finish?(turn: Turn): void;
  /** The resolution of the agent's coordinates, if it declared one; known after its first answer. */
  readonly screen?: Screen | undefined;
  /** True if the next answer is known to be null: a run that ends there was not truncated. */
  readonly exhausted?: boolean;
  /** Ends the agent and all processes that it started. */
  close(): Promise<void>;
}
