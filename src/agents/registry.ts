import { AgentError } from './agent-error.ts';
import type { AgentKind, ParsedAgent } from './agent-kind.ts';
import { integrationTestKind } from './integration-test.ts';
import { manualKind } from './manual/kind.ts';
import { mcpKind } from './mcp/kind.ts';
import { moduleKind } from './module/kind.ts';
import { noopKind } from './noop.ts';
import { processKind } from './process/kind.ts';
import { replayKind } from './replay/kind.ts';

/** All kinds of agents, in the order in which help and pickers list them. */
export const AGENT_KINDS: readonly AgentKind[] = [
  manualKind,
  noopKind,
  replayKind,
  integrationTestKind,
  moduleKind,
  processKind,
  mcpKind,
];

/** The agents that run without the editor, as help and messages list them: `noop, replay:FILE, …`. */
export const AGENT_SYNTAX: string = AGENT_KINDS.filter(({ editorOnly }) => !editorOnly)
  .flatMap(({ syntax }) => syntax)
  .join(', ')
  .replace(/, ([^,]*)$/, ', or $1');

/**
 * Opens the ports on which these agents are reached, by default agents of all kinds, and returns them: a placement keeps
 * pages and containers from them. Null means a run without an agent. Rejects with a system error.
 */
export async function agentPorts(agents?: Iterable<string | null>): Promise<number[]> {
  const kinds =
    agents === undefined ? AGENT_KINDS : Array.from(agents, (text) => (text === null ? null : splitAgent(text)?.kind));
  return Promise.all([...new Set(kinds)].flatMap((kind) => kind?.port?.() ?? []));
}

/** An agent that a user chose, parsed and checked. */
export interface AgentSpec extends ParsedAgent {
  readonly kind: AgentKind;
  /** As the user wrote it. */
  readonly text: string;
}

/** The kind that a text names, and its argument; null where there is no such kind. */
export function splitAgent(text: string): { readonly kind: AgentKind; readonly argument: string } | null {
  const colon = text.indexOf(':');
  const name = colon === -1 ? text : text.slice(0, colon);
  const kind = AGENT_KINDS.find((one) => one.name === name);
  if (kind === undefined || (kind.argument === null && colon !== -1)) return null;
  return { kind, argument: colon === -1 ? '' : text.slice(colon + 1) };
}

/** Parses an agent, and checks that its files exist. Throws `AgentError`. */
export function parseAgent(text: string, cwd: string): AgentSpec {
  const agent = splitAgent(text);
  if (agent === null) throw new AgentError('agent_unknown', `Unknown agent “${text}”. Use ${AGENT_SYNTAX}.`);
  const { kind, argument } = agent;
  if (kind.argument !== null && argument.trim() === '') {
    const missing = kind.argument.type === 'command' ? 'a command' : 'a file';
    throw new AgentError('agent_unknown', `The agent “${text}” needs ${missing}. Use ${kind.syntax.join(' or ')}.`);
  }
  return { kind, text, ...kind.parse(argument, cwd) };
}

/** A short text for lists of runs: `no-op`, `replay login.actions`. Agents of other programs are shown as they are. */
export function describeAgent(text: string): string {
  const agent = splitAgent(text);
  return agent === null ? text : agent.kind.describe(agent.argument);
}
