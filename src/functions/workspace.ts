import * as z from 'zod';
import { AgentFault } from './agent-fault.ts';
import type { FunctionContext, Workspace } from './declaration.ts';

/** The default time limit of a command in seconds. */
const COMMAND_SECONDS = 60;

/** A path relative to the task folder. */
export const path = z.string().min(1);
/** A command line. */
export const command = z.string().min(1);
/** The time limit of a command in seconds. */
export const seconds = z.number().positive().max(3_600).optional();

/** The task folder. Throws if the environment has none. */
export function workspaceOf({ workspace }: FunctionContext): Workspace {
  if (workspace) return workspace;
  throw new Error('this environment has no files and commands; use a coding or desktop environment');
}

/** The time limit of a call's command in ms; `index` is that of the argument `timeout_s`. */
export function commandMs(index: number): (args: readonly unknown[]) => number {
  return (args) => timeoutOf(args[index]);
}

/** The time limit of a command in ms, from the argument `timeout_s`. */
export function timeoutOf(limit: unknown): number {
  return (typeof limit === 'number' && limit > 0 ? limit : COMMAND_SECONDS) * 1_000;
}

/** The text of a file; null if it does not exist. Throws if it is not text. */
export async function textOf(workspace: Workspace, file: string): Promise<string | null> {
  const bytes = await workspace.read(file);
  const text = bytes === null ? null : decodeText(bytes);
  if (bytes !== null && text === null) throw new AgentFault(`“${file}” is not UTF-8 text`);
  return text;
}

/** Null if the bytes are not UTF-8. */
export function decodeText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
