import type { ActionInput, Point, Screen } from '../../actions/action.ts';
import type { Observation, Pointed } from '../../environments/environment.ts';

/** What an agent is told before each of its answers. */
export interface Turn {
  readonly prompt: string;
  /** How many answers the agent has given so far. */
  readonly step: number;
  readonly observation: Observation;
  /** The environment's own reward at the last step, where it has one. */
  readonly reward: number | null;
  readonly terminated: boolean;
  /** What was wrong with the agent's last action. */
  readonly error: { readonly message: string; readonly code: string } | null;
}

/** An agent's answer: what to do next; null = done. */
export type Answer = ActionInput | readonly ActionInput[] | null;

/** What the person who acts by hand may ask of the page between two actions. No other agent can. */
export interface Sight {
  /** What stands at a point of the viewport, in CSS pixels, or (null) has the focus. */
  pointed(point: Point | null, signal: AbortSignal): Promise<Pointed | null>;
}

/** Turns observations into actions. */
export interface Agent {
  /** Told before its first turn. */
  meet?(sight: Sight): void;
  /** Rejects with `AgentError` where the agent failed, with the signal's reason once that is aborted. */
  act(turn: Turn, signal: AbortSignal): Promise<Answer>;
  /** Told once the environment said `terminated`; the agent's answer is not waited for. */
  finish?(turn: Turn): void;
  /** The resolution that its coordinates are meant for, where it has declared one; known after its first answer. */
  readonly screen?: Screen | undefined;
  /** True where it is known that the next answer is null: a run that ends there was not cut short. */
  readonly exhausted?: boolean;
  /** Ends the agent and every process that it started. */
  close(): Promise<void>;
}
