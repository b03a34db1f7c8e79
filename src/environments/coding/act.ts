import { setTimeout as wait } from 'node:timers/promises';
import type { NormalAction } from '../../actions/normal.ts';
import { describeSystemError } from '../../base/system-error.ts';
import type { CommandResult } from '../../functions/declaration.ts';
import type { StepResult } from '../environment.ts';
import { BoundedOutput } from '../workspace/bounded-output.ts';
import { MAX_COMMAND_SECONDS, printCommand } from '../workspace/command-output.ts';
import type { FolderWorkspace } from '../workspace/workspace.ts';

/** The maximum number of bytes of a file that the agent reads at once. */
const MAX_READ = 64 * 1024;
/** The maximum wait of an agent in ms. */
const MAX_WAIT = 60_000;

/** The outcome of one action. */
interface Outcome {
  /** The text for the agent. */
  readonly text?: string;
  readonly error?: StepResult['error'];
  /** Set if files may have changed. */
  readonly mayChangeFiles?: true;
}

/** Carries out an action. `run` runs a command, with a time limit in ms, and records its output. */
export async function act(
  action: NormalAction,
  workspace: FolderWorkspace,
  run: (command: string, timeout: number) => Promise<CommandResult>,
): Promise<Outcome> {
  try {
    switch (action.type) {
      case 'run': {
        const seconds = Math.min(action.timeout, MAX_COMMAND_SECONDS);
        const result = await run(action.command, seconds * 1_000);
        return { text: printCommand(action.command, result, seconds), mayChangeFiles: true };
      }
      case 'read_file':
        return { text: await readText(action.path, workspace) };
      case 'write_file':
        await workspace.write(action.path, action.text);
        return { text: `wrote ${action.path}`, mayChangeFiles: true };
      case 'apply_patch': {
        const { applyDiff } = await import('./patch.ts');
        return { text: await applyDiff(workspace, action.diff), mayChangeFiles: true };
      }
      case 'wait':
        await wait(Math.min(action.ms, MAX_WAIT));
        // A background process may have written files.
        return { mayChangeFiles: true };
      default: {
        const message = `\`${action.type}\` does nothing in an environment of type coding; its actions are run, read_file, write_file, apply_patch and response`;
        return { error: { code: 'unknown_action', message } };
      }
    }
  } catch (error) {
    return { error: { code: 'action_failed', message: describeSystemError(error) } };
  }
}

async function readText(path: string, workspace: FolderWorkspace): Promise<string> {
  const bytes = await workspace.read(path);
  if (bytes === null) throw new Error(`the file “${path}” does not exist`);
  if (bytes.includes(0)) throw new Error(`“${path}” is not a text file (${bytes.length.toLocaleString('en')} bytes)`);
  const output = new BoundedOutput(MAX_READ);
  output.add(Buffer.from(bytes));
  return output.text;
}
