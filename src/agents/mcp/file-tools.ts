import * as z from 'zod';
import { defined } from '../../base/defined.ts';
import { look, step, type Tool, tool } from './tool.ts';

const path = z.string().describe('Relative to the folder of the task.');

/** Runs a command in a folder or an environment. */
export function runIn(where: string): Tool {
  return tool(
    'shell',
    `Runs a command in ${where}, and shows its output.`,
    { command: z.string(), timeout: z.number().positive().optional().describe('In seconds. Default: 60.') },
    ({ command, timeout }) => step({ type: 'run', cmd: command, ...defined({ timeout }) }),
  );
}

/** The actions of a coding environment. */
export const fileTools: readonly Tool[] = [
  look('observe', 'Shows the folder of the task as it is after the last action.'),
  runIn('the folder of the task'),
  tool('read_file', 'Shows the text of a file.', { path }, (args) => step({ type: 'read_file', ...args })),
  tool('write_file', 'Writes a file; its old text is lost.', { path, text: z.string() }, (args) =>
    step({ type: 'write_file', ...args }),
  ),
  tool('apply_patch', 'Applies a unified diff of one or more files.', { diff: z.string() }, (args) =>
    step({ type: 'apply_patch', ...args }),
  ),
];
