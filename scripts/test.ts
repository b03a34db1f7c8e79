// Runs the suite that is named, or all of them, and ends with one line for all: `N passed, N failed`. After a run of all
// suites, files with failures run again alone: a test that passes then is flaky.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from './build.ts';
import { add, countFailure, PASSED } from './count.ts';
import { beforeEnding, end } from './ending.ts';
import { type FlakyEntry, failedFiles, judgeFailures, keyOf, MAX_RERUNS, noteFlaky } from './flaky.ts';
import { inCi } from './in-ci.ts';
import { outFolder, root } from './places.ts';
import { ProcessorTime } from './processor-time.ts';
import { preparePython } from './python.ts';
import type { SuiteName } from './suite-options.ts';
import { logOf, runSuiteProcess } from './suite-process.ts';
import { prepareSuites } from './suites.ts';
import { parseTestOptions, type TestOptions } from './test-options.ts';
import { TestReport } from './test-report.ts';

/** Suites that run one after the other, each with so many files at the same time. */
interface Lane {
  readonly suites: readonly SuiteName[];
  readonly workers: number;
}

/**
 * The stages of `npm test` run one after the other. The lanes of a stage run at the same time. Suites that wait more than
 * they compute share the processors with suites that compute, with at most three files at the same time. Suites that build
 * or count Docker images never run at the same time.
 */
const STAGES: readonly (readonly Lane[])[] = [
  [
    { suites: ['lint'], workers: 1 },
    { suites: ['unit'], workers: 2 },
  ],
  [
    { suites: ['system', 'browsers', 'attacks'], workers: 2 },
    { suites: ['docker', 'host'], workers: 1 },
  ],
  [{ suites: ['journeys'], workers: 2 }],
];
/** How many files run at the same time at least, in the last lane of a stage. */
const WORKERS = 2;
/** How many files of unit tests run at the same time alone: some wait for a timer or a child process. */
const UNIT_WORKERS = 3;
const INDEPENDENT_OF_BUILD: readonly SuiteName[] = ['lint', 'unit'];

const print = (text: string): void => {
  process.stdout.write(text);
};
const printLine = (text: string): void => print(`${text}\n`);

// `.ci/run` names its own process, whose children installed packages and started Docker.
const time = new ProcessorTime(Number(process.env['TASKWRIGHT_TEST_RUN'] ?? process.ppid));
const report = new TestReport();

/**
 * Runs the suites of the lanes. Where several lanes run, the output of a suite appears as a whole when the suite ends, so
 * that the outputs of different suites do not mix.
 */
async function runLanes(lanes: readonly Lane[], { include, shard }: TestOptions): Promise<void> {
  let running = lanes.length;
  await Promise.all(
    lanes.map(async ({ suites, workers }) => {
      for (const name of suites) {
        const began = performance.now();
        const title = `\n── ${name} ──\n`;
        const output: string[] = [];
        const isAlone = lanes.length === 1;
        if (isAlone) print(title);
        else printLine(`${name}: started`);
        const options = {
          include,
          workers: running === 1 ? Math.max(WORKERS, workers) : workers,
          ...(shard !== undefined && { shard }),
        };
        const say = isAlone ? print : (text: string) => void output.push(text);
        const { count, seconds } = await runSuiteProcess(name, options, say);
        if (!isAlone) print(`${title}${output.join('')}`);
        report.record(name, count, began, seconds);
        await time.sample();
      }
      running -= 1;
    }),
  );
}

function stagesOf({ suite, shard }: TestOptions): readonly (readonly Lane[])[] {
  if (suite !== undefined) return [[{ suites: [suite], workers: suite === 'unit' ? UNIT_WORKERS : WORKERS }]];
  // The checks cannot be split: the first part has them.
  const isFirst = shard === undefined || shard.startsWith('1/');
  const has = (name: SuiteName): boolean => isFirst || name !== 'lint';
  return STAGES.map((lanes) =>
    lanes.map((lane) => ({ ...lane, suites: lane.suites.filter(has) })).filter(({ suites }) => suites.length > 0),
  );
}

async function main(options: TestOptions): Promise<void> {
  if (options.isLong) process.env['TASKWRIGHT_TEST_LONG'] = '1';
  const stages = stagesOf(options);
  const names = stages.flat().flatMap(({ suites }) => suites);
  const needsBuild = (name: SuiteName): boolean => !INDEPENDENT_OF_BUILD.includes(name);
  await time.sample();
  const isBuilt = names.some(needsBuild) && (await runBuild());
  // Installed while the suites run that do not need it.
  const preparation = isBuilt ? prepare(names) : null;
  for (const stage of stages) {
    const lanes = stage.filter(({ suites }) => isBuilt || !suites.some(needsBuild));
    if (lanes.some(({ suites }) => suites.some(needsBuild))) await preparation;
    await runLanes(lanes, options);
  }
  if (options.suite === undefined) await runFailedFilesAgain();
}

async function prepare(names: readonly SuiteName[]): Promise<void> {
  await installPython();
  await prepareSuites(names);
}

/** Without its packages the tests of Python are skipped, which is a failure in CI. */
async function installPython(): Promise<void> {
  const began = performance.now();
  try {
    await preparePython(printLine);
  } catch (error) {
    printLine(`Tests that need Python packages ${inCi ? 'cannot run' : 'are skipped'}: ${(error as Error).message}`);
    if (inCi) report.record('python', countFailure('python', error), began);
  }
}

/** Builds every program into dist/. False if the build fails. */
async function runBuild(): Promise<boolean> {
  const began = performance.now();
  try {
    await build();
  } catch (error) {
    printLine(error instanceof Error ? error.message : String(error));
    report.record('build', countFailure('build', error), began);
    return false;
  }
  report.record('build', PASSED, began);
  return true;
}

let flaky: readonly string[] = [];
const FLAKY_HISTORY = join(root, 'test', 'flaky.json');

/** Runs each file with failures once more, by itself, and drops the failures of tests that pass then. */
async function runFailedFilesAgain(): Promise<void> {
  const files = failedFiles(report.count);
  if (files.length === 0) return;
  if (files.length > MAX_RERUNS) {
    printLine(`\nNo file runs again: ${files.length} files failed, which has a cause.`);
    return;
  }
  const passedAgain = new Set<string>();
  const first = report.count.failures;
  const again: unknown[] = [];
  for (const { suite, file } of files) {
    printLine(`\n── ${suite}: ${file} once more, alone ──`);
    const log = logOf(suite, file);
    const { count } = await runSuiteProcess(suite, { include: [file], workers: 1 }, print, log);
    if (count.failures.length === 0 && count.passed > 0) passedAgain.add(keyOf({ suite, file }));
    const failures = first.filter((failure) => failure.suite === suite && failure.file === file);
    again.push({ suite, file, logs: [logOf(suite), log], first: failures, again: count });
  }
  await writeFile(join(outFolder, 'tests', 'flaky.json'), `${JSON.stringify(again, null, 2)}\n`);
  const today = new Date().toISOString().slice(0, 'yyyy-mm-dd'.length);
  const history = JSON.parse(await readFile(FLAKY_HISTORY, 'utf8')) as FlakyEntry[];
  const judgement = judgeFailures(report.count, passedAgain, history, today);
  for (const reason of judgement.reasons) printLine(reason);
  report.count = judgement.count;
  flaky = judgement.flaky;
  if (flaky.length > 0)
    await writeFile(FLAKY_HISTORY, `${JSON.stringify(noteFlaky(history, flaky, today), null, 2)}\n`);
}

beforeEnding(() => print(report.describe(time.read())));
try {
  await main(parseTestOptions(process.argv.slice(2)));
} catch (error) {
  printLine(error instanceof Error ? error.message : String(error));
  report.count = add(report.count, countFailure('tests', error));
}
// The last lines, after everything else has ended.
process.on('exit', () => {
  if (flaky.length > 0) printLine(`\nflaky: ${flaky.length} (${flaky.join('; ')})`);
  printLine(`\n${report.count.passed} passed, ${report.count.failures.length} failed`);
});
await end(report.count.failures.length === 0 && report.count.passed > 0 ? 0 : 1);
