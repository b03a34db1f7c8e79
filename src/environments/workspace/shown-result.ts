import type { CommandResult } from '../../functions/declaration.ts';

/** A command with its output and exit status, as a terminal shows it. */
export function shownResult(command: string, { output, exitCode, timedOut }: CommandResult, seconds: number): string {
  const end = timedOut
    ? `timed out after ${seconds} s and was terminated with its child processes`
    : exitCode === null
      ? 'terminated by a signal'
      : `exit code ${exitCode}`;
  const body = output === '' || output.endsWith('\n') ? output : `${output}\n`;
  return `$ ${command}\n${body}[${end}]`;
}
