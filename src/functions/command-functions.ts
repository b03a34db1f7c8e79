import * as z from 'zod';
import { AgentFault } from './agent-fault.ts';
import { pattern } from './arguments.ts';
import type { CommandResult, Verdict, Workspace } from './declaration.ts';
import { declare } from './declare.ts';
import { namesIn, testOptions, timeoutIn } from './junit/options.ts';
import type { ReportFile } from './junit/results.ts';
import { findPattern } from './pattern.ts';
import { patternDifference } from './pattern-differences.ts';
import { excerpt, hintFirst, quote } from './words.ts';
import { command, commandMs, path, seconds, timeoutOf, workspaceOf } from './workspace.ts';

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
    args: z.tuple([command, path.optional(), testOptions]),
    parameters: ['cmd', 'report?', 'options?'],
    workMs: (args) => timeoutIn(args[2]),
    doc: 'Runs tests. With the JUnit report that they write (a file, a folder, or a pattern such as `**/TEST-*.xml`), the value is the fraction of tests that pass, and the result lists each test. Without it, checks whether the command exits with code 0. The options are the time limit in seconds, or `{fail_to_pass, pass_to_pass, timeout_s}` with the names of tests that must all run and pass.',
    async run(context, line, report, options): Promise<Verdict> {
      const workspace = workspaceOf(context);
      const limits = { timeout: timeoutIn(options) };
      if (report === undefined) return exitVerdict(line, await workspace.run(line, limits));
      // A report that the agent may have left there is not the report of these tests.
      await workspace.remove(...(await reportsAt(workspace, report)));
      const result = await workspace.run(line, limits);
      const how = `${quote(line)} ${describeExit(result)}`;
      const paths = await reportsAt(workspace, report);
      if (paths.length === 0) throw new AgentFault(`${how} and wrote no report “${report}”${lastOutput(result)}`);
      const [{ readReports }, { judgeAll, judgeNamed }] = await Promise.all([
        import('./junit/results.ts'),
        import('./junit/judge.ts'),
      ]);
      const files: ReportFile[] = [];
      for (const name of paths)
        files.push({ name, bytes: (await workspace.read(name, MAX_REPORT)) ?? new Uint8Array() });
      const tests = readReports(files);
      const names = namesIn(options);
      const judgment = names.length === 0 ? judgeAll(tests) : judgeNamed(tests, names);
      // The command can fail although all tests passed: during collection or teardown. After a timeout, no test counts.
      const allPassed = tests.every(({ outcome }) => outcome !== 'failed');
      const isOdd = result.timedOut || (allPassed && (tests.length === 0 || !isSuccess(result)));
      return isOdd
        ? { ...judgment, value: 0, reason: `${judgment.reason}, but ${how}${lastOutput(result)}` }
        : judgment;
    },
  }),
];

/** The maximum size of a report in bytes. A larger one is not the fault of the agent. */
const MAX_REPORT = 64 * 1024 * 1024;

/** The paths of the reports: of a folder or pattern, its XML files. */
async function reportsAt(workspace: Workspace, report: string): Promise<readonly string[]> {
  return (await workspace.files(report)).filter((file) => file === report || file.endsWith('.xml'));
}

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
