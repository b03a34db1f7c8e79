import * as z from 'zod';
import { AgentFault } from './agent-fault.ts';
import type { FunctionContext, Workspace } from './declaration.ts';

/** Seconds that the command of a call may take where it says nothing else. */
const COMMAND_SECONDS = 60;

/** A path relative to the folder of the task. */
export const path = z.string().min(1);
/** A command line. */
export const command = z.string().min(1);
/** Seconds that a command may take. */
export const seconds = z.number().positive().max(3_600).optional();

/** The folder of the task; throws with words where the environment has none. */
export function workspaceOf({ workspace }: FunctionContext): Workspace {
  if (workspace) return workspace;
  throw new Error('this environment has no files and runs no commands; use one of type coding, or a desktop');
}

/** Seconds that the command of a call may take; `place` is that of its `timeout_s`. */
export function commandSeconds(place: number): (args: readonly unknown[]) => number {
  return (args) => secondsOf(args[place]);
}

/** Milliseconds that a command may take. */
export function timeoutOf(given: number | undefined): number {
  return secondsOf(given) * 1_000;
}

function secondsOf(given: unknown): number {
  return typeof given === 'number' && given > 0 ? given : COMMAND_SECONDS;
}

/** The text of a file; null where there is none. Throws with words where it is no text. */
export async function textOf(workspace: Workspace, file: string): Promise<string | null> {
  const bytes = await workspace.read(file);
  if (bytes === null) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new AgentFault(`“${file}” is no text in UTF-8`);
  }
}
