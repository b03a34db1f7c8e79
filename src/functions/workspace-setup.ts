import * as z from 'zod';
import { requireSuccess } from './command-functions.ts';
import { declare } from './declare.ts';
import { command, commandMs, path, seconds, timeoutOf, workspaceOf } from './workspace.ts';

/** Setup functions of environments with files and commands. */
export const workspaceSetup = [
  declare({
    name: 'run_command',
    phase: 'setup',
    needs: ['files'],
    args: z.tuple([command, seconds]),
    parameters: ['cmd', 'timeout_s?'],
    workMs: commandMs(1),
    doc: 'Runs a command line in the task folder. Any exit code but 0 is an error.',
    async run(context, line, limit) {
      requireSuccess(await workspaceOf(context).run(line, { timeout: timeoutOf(limit) }));
    },
  }),
  declare({
    name: 'write_file',
    phase: 'setup',
    needs: ['files'],
    args: z.tuple([path, z.string()]),
    parameters: ['path', 'text'],
    doc: 'Writes a file in the task folder. Creates missing parent folders.',
    run: (context, file, text) => workspaceOf(context).write(file, text),
  }),
];
