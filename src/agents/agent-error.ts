import { CodedError } from '../base/coded-error.ts';
export type AgentErrorCode =
  /** The text names no agent, or its argument cannot be parsed. */
  | 'agent_unknown'
  /** A file or program that does not exist. */
  | 'agent_missing'
  /** A file of actions or a module that cannot be read. */
  | 'agent_broken'
  | 'agent_threw'
  /** An answer that is not an action, a list of actions, or null. */
  | 'agent_answer'
  /** Its process ended before it answered. */
  | 'agent_died'
  /** No external agent connected in time. */
  | 'agent_absent'
  /** An external agent stopped sending requests. */
  | 'agent_gone';

/** An agent that cannot be used or that failed. The message gives the reason and a remedy. */
export class AgentError extends CodedError<AgentErrorCode> {
  override readonly name = 'AgentError';
}
