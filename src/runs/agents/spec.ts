import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { splitWords } from './process/words.ts';

/** An agent as a person named it, with its paths made absolute. */
export type AgentSpec =
  | { readonly kind: 'noop' }
  /** The person, in the editor only. */
  | { readonly kind: 'manual' }
  /** `path`: a file of actions, or the folder of a recorded run. */
  | { readonly kind: 'replay'; readonly path: string; readonly recorded: boolean }
  | { readonly kind: 'module'; readonly path: string }
  | { readonly kind: 'process'; readonly command: string; readonly args: readonly string[] };

/** The choices, as they are said to a person who named none. */
export const AGENT_CHOICES = 'noop, replay:FILE, replay:RUN_FOLDER, module:FILE or process:COMMAND';

export type AgentErrorCode =
  /** Not one of the choices, or nothing after the colon. */
  | 'agent_unknown'
  | 'agent_missing'
  /** A file of actions or a module that cannot be read. */
  | 'agent_broken'
  | 'agent_threw'
  /** What it answered is no action, no list of actions and not null. */
  | 'agent_answer'
  /** Its process ended before it had answered. */
  | 'agent_died';

/** An agent that cannot be used or that failed: why, and what to do. */
export class AgentError extends Error {
  readonly code: AgentErrorCode;
  constructor(code: AgentErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'AgentError';
    this.code = code;
  }
}

/** Reads an agent's name and looks whether its file is there. Throws `AgentError`. */
export function parseAgent(text: string, cwd: string): AgentSpec {
  if (text === 'noop' || text === 'manual') return { kind: text };
  const colon = text.indexOf(':');
  const kind = colon === -1 ? text : text.slice(0, colon);
  const rest = colon === -1 ? '' : text.slice(colon + 1);
  if (kind !== 'replay' && kind !== 'module' && kind !== 'process') {
    throw new AgentError('agent_unknown', `There is no agent “${text}”. Choose ${AGENT_CHOICES}.`);
  }
  if (rest.trim() === '') {
    const wanted = kind === 'process' ? 'a command' : 'a file';
    throw new AgentError(
      'agent_unknown',
      `The agent “${text}” names no ${wanted.slice(2)}: write ${kind}: and ${wanted}.`,
    );
  }
  if (kind === 'process') {
    const words = splitWords(rest);
    const [command, ...args] = words ?? [];
    if (command === undefined) throw new AgentError('agent_unknown', `A quote is never closed in the command: ${rest}`);
    return { kind, command, args };
  }
  const path = resolve(cwd, rest);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined)
    throw new AgentError('agent_missing', `There is no ${path}, which the agent “${text}” names.`);
  if (kind === 'replay') return { kind, path, recorded: found.isDirectory() };
  if (!found.isFile())
    throw new AgentError('agent_broken', `${path} is no file: module: wants a .ts, .js or .mjs file.`);
  return { kind, path };
}
