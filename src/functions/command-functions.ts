import * as z from 'zod';
import { pattern } from './arguments.ts';
import type { CommandResult, Verdict } from './declaration.ts';
import { declare } from './declare.ts';
import { findPattern } from './pattern.ts';
import { patternDifference } from './pattern-differences.ts';
import { excerpt, hintFirst, quote } from './words.ts';
import { command, commandMs, path, seconds, textOf, timeoutOf, workspaceOf } from './workspace.ts';

/** Bytes of a command's output that are searched for a pattern. */
const SEARCHED = 1024 * 1024;
/** Characters from the end of the output that a reason quotes. */
const QUOTED_OUTPUT = 160;

const OF_FILES = { phase: 'evaluate', needs: ['files'], reads: ['files'] } as const;

/** Evaluate functions that run commands in the task folder after the agent has ended. */
export const commandFunctions = [
  declare({
    name: 'command_succeeds',
    ...OF_FILES,
    args: z.tuple([command, seconds]),
    parameters: ['cmd', 'timeout_s?'],
    workMs: commandMs(1),
    doc: 'Checks whether a command line that runs in the task folder exits with code 0. The reason quotes the end of its output.',
    async run(context, line, limit): Promise<Verdict> {
      const result = await workspaceOf(context).run(line, { timeout: timeoutOf(limit) });
      return exitVerdict(line, result);
    },
  }),
  declare({
    name: 'command_output_matches',
    ...OF_FILES,
    args: z.tuple([command, pattern, seconds]),
    parameters: ['cmd', 'pattern', 'timeout_s?'],
    workMs: commandMs(2),
    doc: 'Checks whether the pattern (Python syntax) matches the output of a command line that runs in the task folder.',
    async run(context, line, regex, limit): Promise<Verdict> {
      const result = await workspaceOf(context).run(line, { timeout: timeoutOf(limit), keep: SEARCHED });
      const how = `${quote(line)} ${describeExit(result)}`;
      if (result.timedOut) return { value: 0, reason: `${how}${lastOutput(result)}` };
      const [match] = findPattern(regex, [result.output]);
      if (match !== undefined) {
        return { value: 1, reason: `the pattern matches ${excerpt(match)} in the output of ${quote(line)}` };
      }
      const failure = `the pattern ${quote(regex)} does not match the output: ${how}${lastOutput(result)}`;
      return { value: 0, reason: hintFirst(patternDifference(regex, [result.output]), failure) };
    },
  }),
  declare({
    name: 'tests_pass',
    ...OF_FILES,
    args: z.tuple([command, path.optional(), seconds]),
    parameters: ['cmd', 'junit_path?', 'timeout_s?'],
    workMs: commandMs(2),
    doc: 'Runs tests. With the path of the JUnit report that they write, the value is the fraction of tests that pass, and the result lists each test. Without it, checks whether the command exits with code 0.',
    async run(context, line, report, limit): Promise<Verdict> {
      const workspace = workspaceOf(context);
      // A report that the agent may have left there is not the report of these tests.
      const old = report === undefined ? null : await workspace.read(report);
      if (report !== undefined && old !== null) await workspace.write(report, '');
      const result = await workspace.run(line, { timeout: timeoutOf(limit) });
      const how = `${quote(line)} ${describeExit(result)}`;
      if (report === undefined) return exitVerdict(line, result);
      const xml = await textOf(workspace, report);
      if (xml === null || xml.trim() === '') {
        return { value: 0, reason: `${how} and wrote no report “${report}”${lastOutput(result)}` };
      }
      const { readJUnit } = await import('./junit-report.ts');
      const { passed, total, skipped, parts } = readJUnit(xml, report);
      const rest = skipped === 0 ? '' : `, ${skipped} skipped`;
      if (total === 0)
        return { value: 0, reason: `the report “${report}” has no tests${rest}${lastOutput(result)}`, parts };
      // The command can fail although all tests passed: during collection or teardown. After a timeout, no test counts.
      const odd = result.timedOut || (passed === total && !isSuccess(result));
      const reason = `${passed} of ${total} tests pass${rest}${odd ? `, but ${how}${lastOutput(result)}` : ''}`;
      return { value: odd ? 0 : passed / total, reason, parts };
    },
  }),
];

function exitVerdict(line: string, result: CommandResult): Verdict {
  const how = `${quote(line)} ${describeExit(result)}`;
  return isSuccess(result) ? { value: 1, reason: how } : { value: 0, reason: `${how}${lastOutput(result)}` };
}

function isSuccess({ exitCode, timedOut }: CommandResult): boolean {
  return exitCode === 0 && !timedOut;
}

/** Throws if a setup command failed. */
export function requireSuccess(result: CommandResult): void {
  if (result.exitCode === 0) return;
  throw new Error(`the command ${describeExit(result)}: ${excerpt(result.output.slice(-400), 300)}`);
}

/** `exited with code 1` */
function describeExit({ exitCode, timedOut }: CommandResult): string {
  if (timedOut) return 'timed out and was terminated';
  return exitCode === null ? 'was terminated by a signal' : `exited with code ${exitCode}`;
}

/** `; last output: “… 2 failed”`. The recorded step has the whole output. */
function lastOutput({ output }: CommandResult): string {
  const text = output.replace(/\s+/g, ' ').trim();
  if (text === '') return '; no output';
  return `; last output: “${text.length > QUOTED_OUTPUT ? `…${text.slice(-QUOTED_OUTPUT)}` : text}”`;
}
