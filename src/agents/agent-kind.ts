import type { KnownFile } from '../environments/known-file.ts';
import type { EnvironmentSpec } from '../tasks/task.ts';
import type { ModelTurn } from '../traces/model-turn.ts';
import type { Agent } from './agent.ts';
import type { ManualInput } from './manual-input.ts';

/** What a picker requests to complete an agent: a file, or a command line. */
export type AgentArgument =
  | { readonly type: 'file'; readonly title: string; readonly filters: Readonly<Record<string, string[]>> }
  | { readonly type: 'command'; readonly title: string; readonly prompt: string; readonly placeholder: string };

/** What an agent runs with. */
export interface AgentContext {
  /** Working directory of the agent's process. */
  readonly cwd: string;
  /** Path of agent.js. */
  readonly program: string;
  readonly environment: EnvironmentSpec;
  /** The names of environment variables that the agent's process gets beside those that it needs to run. */
  readonly variables: readonly string[];
  /** Input of the user at the run panel; null in a run without one. */
  readonly manualInput: ManualInput | null;
  log(text: string): void;
  /** Shows the parts of a model's current turn so far. The reply has all of it. */
  show(turn: ModelTurn): void;
  /** Shows the user where an external agent can connect; with null, that the run no longer waits for one. */
  offer(address: AgentAddress | null): void;
}

/** Where an external agent connects to a run. */
export interface AgentAddress {
  /** Of an MCP server (streamable HTTP). */
  readonly url: string;
  /** To be sent as `Authorization: Bearer TOKEN`. */
  readonly token: string;
}

/** What `AgentKind.parse` returns. */
export interface ParsedAgent {
  /** Files that belong to the agent and that it must not read from the task's folder. */
  readonly files: readonly KnownFile[];
  /** Starts the agent. Rejects with `AgentError`. */
  open(context: AgentContext): Promise<Agent>;
}

/**
 * One kind of agent. Everything that lists, parses, labels, or starts agents reads these descriptors; a new kind is one
 * descriptor and one line in `registry.ts`.
 */
export interface AgentKind {
  /** The agent's name, or the part before its first colon: `replay` in `replay:login.actions`. */
  readonly name: string;
  /** All forms, as help and error messages list them. */
  readonly syntax: readonly string[];
  /** For pickers. */
  readonly label: string;
  readonly description: string;
  /** Name of a codicon. */
  readonly icon: string;
  /** Null: the name takes no argument. */
  readonly argument: AgentArgument | null;
  /**
   * The port on which agents of this kind are reached, which pages and containers must not reach. Opens it. Rejects with a
   * system error if that is not possible.
   */
  readonly port?: () => Promise<number>;
  /** The agent is the user at the run panel. */
  readonly editorOnly?: true;
  /** Whether pickers offer it for a task; always if absent. */
  readonly isOfferedFor?: (environment: EnvironmentSpec) => boolean;
  /** Pickers offer it for several tasks at once. */
  readonly forManyTasks?: true;
  /** A short text for lists of runs: `replay login.actions`. */
  describe(argument: string): string;
  /** Checks the argument, with relative paths resolved against `cwd`. Throws `AgentError`. */
  parse(argument: string, cwd: string): ParsedAgent;
}
