/** What an agent tries to achieve. */
export const AIMS = ['learn', 'forge', 'escape', 'outlive', 'exhaust', 'deny'] as const;
export type Aim = (typeof AIMS)[number];

export const KINDS = ['browser', 'qa', 'coding', 'desktop', 'custom', 'openenv'] as const;
export type Kind = (typeof KINDS)[number];

/** The answer of the task. It is only in the task file, its solution, and its evaluate call. */
export const ANSWER = 'zebra-crossing-4711';
/** Part of the command line of every process that is meant to outlive its run. */
export const SLEEP = `sleep ${1_000_000 + process.pid}`;

/**
 * An agent without the answer that tries to cause anything but the reward 0: to learn the answer, forge its verdict, leave
 * its environment, continue after the run, exhaust resources, or make the run an error. In its actions, `{folder}` is
 * replaced with the folder of the task on this machine, and `{site}` with the URL of a hostile site.
 */
export interface Attack {
  readonly name: string;
  readonly aim: Aim;
  readonly kinds: readonly Kind[];
  /** Its answers, in order. */
  readonly actions?: readonly string[];
  /** Command lines, in order: run by a coding agent, typed into the terminal of a desktop. */
  readonly lines?: readonly string[];
  /** A process that talks to its runner itself; Python reads lines from standard input and writes lines. */
  readonly python?: string;
  /** A module for the runner. */
  readonly module?: string;
  /** A client that connects to the run over MCP. The run is finished when it resolves. */
  readonly outside?: (client: OutsideClient) => Promise<unknown>;
  /** It is contained only if the agent has a user of its own: commands of a local coding task run as the current user. */
  readonly dockerOnly?: true;
  /** Needs a site on the loopback of this machine. */
  readonly localOnly?: true;
  /** It blocks its page until each time limit, about a minute, so it is not in the sample of every run. */
  readonly slow?: true;
  /** Time limit of the run in milliseconds, for an attack that would not end. */
  readonly timeoutMs?: number;
}

/** What an external agent has of its run. Nothing of it rejects. */
export interface OutsideClient {
  /** The address of the MCP server. */
  readonly url: string;
  /** Calls a tool. */
  call(name: string, args: unknown): Promise<void>;
  /** Sends a plain request with the token of the run. Without a path: to its address. */
  ask(path: string | null, request: { readonly method: string; readonly body?: string }): Promise<void>;
}

/** Environments with a shell. */
export const commands = (aim: Aim, name: string, ...lines: readonly string[]): Attack => {
  return { name, aim, kinds: ['coding', 'desktop'], lines };
};
export const docker = (attack: Attack): Attack => ({ ...attack, dockerOnly: true });
/** Actions in the environments that have them. */
export const acts = (aim: Aim, kinds: readonly Kind[], name: string, ...actions: readonly string[]): Attack => {
  return { name, aim, kinds, actions };
};
export const slow = (attack: Attack): Attack => ({ ...attack, slow: true });
export const visits = (aim: Aim, name: string, path: string): Attack => {
  const actions = [`goto('{site}${path}')`, 'noop(300)', "click('#go')", 'noop(300)'];
  return { name, aim, kinds: ['browser'], actions, localOnly: true };
};
/** Programs that attack their runner, in any environment. */
const WHATEVER = ['qa', 'coding', 'desktop', 'custom', 'openenv'] as const;
export const python = (aim: Aim, name: string, text: string, more: Partial<Attack> = {}): Attack => {
  return { name, aim, kinds: WHATEVER, python: `import json, os, sys, time\n${text}`, ...more };
};
export const typescript = (aim: Aim, name: string, text: string, more: Partial<Attack> = {}): Attack => {
  return { name, aim, kinds: WHATEVER, module: text, ...more };
};
