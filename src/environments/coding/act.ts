import { setTimeout as wait } from 'node:timers/promises';
import type { NormalAction } from '../../actions/normal.ts';
import type { CommandResult } from '../../functions/declaration.ts';
import { describeSystemError } from '../../tasks/system-error.ts';
import { BoundedOutput } from '../workspace/bounded-output.ts';
import type { FolderWorkspace } from '../workspace/workspace.ts';

/** Seconds that a command of an agent may ask for at the most. */
const MOST_SECONDS = 3_600;
/** Bytes of a file that the agent gets to see at once. */
const MOST_READ = 64 * 1024;
/** Milliseconds that an agent may wait at once. */
const MOST_WAIT = 60_000;

/** What one action came to. */
export interface Done {
  /** What the agent gets to see of it. */
  readonly text: string;
  readonly response?: string;
  readonly terminated?: true;
  /** Files may not be as they were. */
  readonly touched?: true;
}

/** An action that cannot be carried out; worded for the agent. */
export class CodingActionError extends Error {
  readonly code: 'unknown_action' | 'action_failed';
  constructor(code: CodingActionError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CodingActionError';
    this.code = code;
  }
}

/** Carries one action out. `run`: runs a command and keeps what it wrote. Throws `CodingActionError`. */
export async function act(
  action: NormalAction,
  workspace: FolderWorkspace,
  run: (command: string, timeout: number) => Promise<CommandResult>,
): Promise<Done> {
  try {
    return await carryOut(action, workspace, run);
  } catch (error) {
    if (error instanceof CodingActionError) throw error;
    throw new CodingActionError('action_failed', describeSystemError(error), { cause: error });
  }
}

async function carryOut(
  action: NormalAction,
  workspace: FolderWorkspace,
  run: (command: string, timeout: number) => Promise<CommandResult>,
): Promise<Done> {
  switch (action.type) {
    case 'run': {
      const seconds = Math.min(action.timeout, MOST_SECONDS);
      return { text: shownResult(action.command, await run(action.command, seconds * 1_000), seconds), touched: true };
    }
    case 'read_file': {
      const bytes = await workspace.read(action.path);
      if (bytes === null) throw new Error(`there is no file “${action.path}”`);
      if (bytes.includes(0))
        throw new Error(`“${action.path}” is no text (${bytes.length.toLocaleString('en')} bytes)`);
      const bounded = new BoundedOutput(MOST_READ);
      bounded.add(Buffer.from(bytes));
      return { text: bounded.text };
    }
    case 'write_file':
      await workspace.write(action.path, action.text);
      return { text: `wrote ${action.path}`, touched: true };
    case 'apply_patch': {
      const { applyDiff } = await import('./patch.ts');
      return { text: await applyDiff(workspace, action.diff), touched: true };
    }
    case 'response':
      return { text: '', response: action.text };
    case 'infeasible':
      return { text: '', terminated: true };
    case 'wait':
      await wait(Math.min(action.ms, MOST_WAIT));
      // What goes on in the background may have written something.
      return { text: '', touched: true };
    default:
      throw new CodingActionError(
        'unknown_action',
        `\`${action.type}\` does nothing in an environment of type coding; its actions are run, read_file, write_file, apply_patch and response`,
      );
  }
}

/** A command, what it wrote and how it ended, as a terminal shows it. */
function shownResult(command: string, { output, exitCode, timedOut }: CommandResult, seconds: number): string {
  const end = timedOut
    ? `stopped after ${seconds} s with all it had started`
    : exitCode === null
      ? 'ended by a signal'
      : `exit code ${exitCode}`;
  const body = output === '' || output.endsWith('\n') ? output : `${output}\n`;
  return `$ ${command}\n${body}[${end}]`;
}
