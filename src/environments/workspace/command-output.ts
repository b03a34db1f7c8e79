import type { CommandResult } from '../../functions/declaration.ts';
import type { StepInfo } from '../environment.ts';

/** The maximum time limit of an agent's command in seconds. */
export const MAX_COMMAND_SECONDS = 3_600;
/** The maximum number of recorded characters of an output, the last ones. */
const MAX_RECORDED = 64 * 1024;

/** A command with its output and exit status, as a terminal shows it. */
export function printCommand(command: string, { output, exitCode, timedOut }: CommandResult, seconds: number): string {
  const end = timedOut
    ? `timed out after ${seconds} s and was terminated with its child processes`
    : exitCode === null
      ? 'terminated by a signal'
      : `exit code ${exitCode}`;
  const body = output === '' || output.endsWith('\n') ? output : `${output}\n`;
  return `$ ${command}\n${body}[${end}]`;
}

/** A command for `StepInfo.outputs`. `ms`: how long it took. */
export function commandOutput(
  command: string,
  { output, exitCode, timedOut }: CommandResult,
  ms: number,
): NonNullable<StepInfo['outputs']>[number] {
  return {
    command,
    output: output.length > MAX_RECORDED ? `…${output.slice(-MAX_RECORDED)}` : output,
    exit_code: exitCode,
    ...(timedOut ? { timed_out: true } : {}),
    duration_ms: Math.round(ms),
  };
}
