import * as z from 'zod';
import { pattern } from './arguments.ts';
import type { CommandResult, Verdict } from './declaration.ts';
import { declare } from './declare.ts';
import { findPattern } from './pattern.ts';
import { excerpt, quote } from './words.ts';
import { command, commandSeconds, path, seconds, textOf, timeoutOf, workspaceOf } from './workspace.ts';

/** Bytes of a command's output in which a pattern is looked for. */
const SEARCHED = 1024 * 1024;
/** Characters from the end of an output that a reason quotes. */
const SAID_LAST = 160;

/** Checks by commands that are run in the folder as the agent leaves it. */
export const commandChecks = [
  declare({
    name: 'command_succeeds',
    phase: 'evaluate',
    needs: ['files'],
    args: z.tuple([command, seconds]),
    parameters: ['cmd', 'timeout_s?'],
    commandSeconds: commandSeconds(1),
    doc: 'Whether a command line ends with exit code 0, run in the folder of the task; the end of its output is the reason.',
    async run(context, line, limit): Promise<Verdict> {
      const result = await workspaceOf(context).run(line, { timeout: timeoutOf(limit) });
      return exitVerdict(line, result);
    },
  }),
  declare({
    name: 'command_output_matches',
    phase: 'evaluate',
    needs: ['files'],
    args: z.tuple([command, pattern, seconds]),
    parameters: ['cmd', 'pattern', 'timeout_s?'],
    commandSeconds: commandSeconds(2),
    doc: "Whether the pattern (Python's notation) is found in what a command line writes, run in the folder of the task.",
    async run(context, line, wanted, limit): Promise<Verdict> {
      const result = await workspaceOf(context).run(line, { timeout: timeoutOf(limit), keep: SEARCHED });
      const how = `${quote(line)} ${ended(result)}`;
      if (result.timedOut) return { value: 0, reason: `${how}${saidLast(result)}` };
      const [match] = findPattern(wanted, [result.output]);
      return match === undefined
        ? { value: 0, reason: `the pattern ${quote(wanted)} is not found in the output: ${how}${saidLast(result)}` }
        : { value: 1, reason: `the pattern finds ${excerpt(match)} in the output of ${quote(line)}` };
    },
  }),
  declare({
    name: 'tests_pass',
    phase: 'evaluate',
    needs: ['files'],
    args: z.tuple([command, path.optional(), seconds]),
    parameters: ['cmd', 'junit_path?', 'timeout_s?'],
    commandSeconds: commandSeconds(2),
    doc: 'Runs tests. With the path of the JUnit report that they write, the value is the part of them that passes, and each test is named; without, whether they end with exit code 0.',
    async run(context, line, report, limit): Promise<Verdict> {
      const workspace = workspaceOf(context);
      // What the agent may have left there is no report of these tests.
      const old = report === undefined ? null : await workspace.read(report);
      if (report !== undefined && old !== null) await workspace.write(report, '');
      const result = await workspace.run(line, { timeout: timeoutOf(limit) });
      const how = `${quote(line)} ${ended(result)}`;
      if (report === undefined) return exitVerdict(line, result);
      const xml = await textOf(workspace, report);
      if (xml === null || xml.trim() === '') {
        return { value: 0, reason: `${how} and wrote no report “${report}”${saidLast(result)}` };
      }
      const { readJUnit } = await import('./junit-report.ts');
      const { passed, total, skipped, parts } = readJUnit(xml, report);
      const rest = skipped === 0 ? '' : `, ${skipped} skipped`;
      if (total === 0)
        return { value: 0, reason: `the report “${report}” has no tests${rest}${saidLast(result)}`, parts };
      // All passed, and yet it failed: while collecting them, or afterwards. What did not end in time counts nothing at all.
      const odd = result.timedOut || (passed === total && !succeeded(result));
      const reason = `${passed} of ${total} tests pass${rest}${odd ? `, but ${how}${saidLast(result)}` : ''}`;
      return { value: odd ? 0 : passed / total, reason, parts };
    },
  }),
];

function exitVerdict(line: string, result: CommandResult): Verdict {
  const how = `${quote(line)} ${ended(result)}`;
  return succeeded(result) ? { value: 1, reason: how } : { value: 0, reason: `${how}${saidLast(result)}` };
}

function succeeded({ exitCode, timedOut }: CommandResult): boolean {
  return exitCode === 0 && !timedOut;
}

/** `ended with exit code 1` */
export function ended({ exitCode, timedOut }: CommandResult): string {
  if (timedOut) return 'did not end in time and was stopped';
  return exitCode === null ? 'was ended by a signal' : `ended with exit code ${exitCode}`;
}

/** `; it wrote last: “… 2 failed”`. All of it stands in the step. */
function saidLast({ output }: CommandResult): string {
  const text = output.replace(/\s+/g, ' ').trim();
  if (text === '') return '; it wrote nothing';
  return `; it wrote last: “${text.length > SAID_LAST ? `…${text.slice(-SAID_LAST)}` : text}”`;
}
