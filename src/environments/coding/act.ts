import { setTimeout as wait } from 'node:timers/promises';
import type { NormalAction } from '../../actions/normal.ts';
import { CodedError } from '../../base/coded-error.ts';
import { describeSystemError } from '../../base/system-error.ts';
import type { CommandResult } from '../../functions/declaration.ts';
import { BoundedOutput } from '../workspace/bounded-output.ts';
import { shownResult } from '../workspace/shown-result.ts';
import type { FolderWorkspace } from '../workspace/workspace.ts';

/** The maximum time limit of an agent's command in seconds. */
const MAX_SECONDS = 3_600;
/** The maximum number of bytes of a file that the agent reads at once. */
const MAX_READ = 64 * 1024;
/** The maximum wait of an agent in ms. */
const MAX_WAIT = 60_000;

/** The result of one action. */
export interface Done {
  /** The text for the agent. */
  readonly text: string;
  readonly response?: string;
  readonly terminated?: true;
  /** Set if files may have changed. */
  readonly touched?: true;
}

/** An action failed. The message is for the agent. */
export class CodingActionError extends CodedError<'unknown_action' | 'action_failed'> {
  override readonly name = 'CodingActionError';
}

/** Executes an action. `run` runs a command and records its output. Throws `CodingActionError`. */
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
      const seconds = Math.min(action.timeout, MAX_SECONDS);
      return { text: shownResult(action.command, await run(action.command, seconds * 1_000), seconds), touched: true };
    }
    case 'read_file': {
      const bytes = await workspace.read(action.path);
      if (bytes === null) throw new Error(`the file “${action.path}” does not exist`);
      if (bytes.includes(0))
        throw new Error(`“${action.path}” is not a text file (${bytes.length.toLocaleString('en')} bytes)`);
      const bounded = new BoundedOutput(MAX_READ);
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
      await wait(Math.min(action.ms, MAX_WAIT));
      // A background process may have written files.
      return { text: '', touched: true };
    default:
      throw new CodingActionError(
        'unknown_action',
        `\`${action.type}\` does nothing in an environment of type coding; its actions are run, read_file, write_file, apply_patch and response`,
      );
  }
}
