// Runs the suite that is named, or all of them, and ends with one line for all: `N passed, N failed`.
// `--long` runs every case of generators, fuzzers and attacks instead of a seeded sample.

import type { LocatedBrowser } from '../src/environments/browser/launch/locate.ts';
import { findDocker } from '../src/placement/docker/main.ts';
import { findOrInstallBrowser, findOtherBrowser } from './browser.ts';
import { BROWSER_INDEPENDENT, BROWSER_LONG, BROWSER_TESTS } from './browser-tests.ts';
import { build } from './build.ts';
import { runChecks } from './check-suite.ts';
import { add, type Count, describeFailures, describeSlowestFiles, failed, NOTHING, PASSED } from './count.ts';
import { canDownload } from './desktop.ts';
import { runDesktopSuites } from './desktop-suite.ts';
import { beforeEnding, end } from './ending.ts';
import { runHostSuites } from './host-suite.ts';
import { packageVsix } from './package-vsix.ts';
import { root } from './places.ts';
import { preparePython } from './python.ts';
import { runVitest } from './vitest-suite.ts';
import { type InstalledServer, installServer } from './vscode-server-install.ts';

/**
 * `npm test` runs these stages one after the other. The lanes of a stage run at the same time, the suites of a lane one
 * after the other. Suites that wait more than they compute share the processors with suites that compute. The suites that
 * build or count Docker images are in the same lane.
 */
const STAGES: readonly (readonly (readonly string[])[])[] = [
  [['check'], ['unit']],
  [
    ['system', 'browsers', 'host', 'attacks'],
    ['docker', 'journeys'],
  ],
];
const ALL = STAGES.flat(2);
/** `desktop` runs only by name: it repeats `host` in a downloaded desktop VS Code. */
const KNOWN = [...ALL, 'desktop'];
const INDEPENDENT_OF_BUILD = ['check', 'unit'];
const LONG = '--long';
const isLong = process.argv.includes(LONG);

type Say = (text: string) => void;

const print: Say = (text) => {
  process.stdout.write(text);
};
const printLine: Say = (text) => print(`${text}\n`);

const inCi = Boolean(process.env['CI']) && process.env['CI'] !== 'false';

/** A suite that this machine cannot run. */
class Unavailable extends Error {}

/** Runs `find` and turns its failure into a reason why a suite is unavailable. */
async function required<T>(find: () => Promise<T>): Promise<T> {
  try {
    return await find();
  } catch (error) {
    throw new Unavailable(error instanceof Error ? error.message : String(error));
  }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= required(make);
    return made;
  };
}

const browser = once<LocatedBrowser>(async () => {
  const found = await findOrInstallBrowser(printLine);
  printLine(`Browser: ${found.name} ${found.version ?? ''} (${found.path})`);
  return found;
});
const otherBrowser = once<LocatedBrowser>(async () => {
  const other = await findOtherBrowser(await browser());
  printLine(`Other browser: ${other.name} ${other.version ?? ''} (${other.path})`);
  return other;
});
const docker = once<void>(async () => {
  const state = await findDocker(root);
  if (!state.found) throw new Error(state.message);
  printLine(`Docker: ${state.version} at ${state.host}`);
});
const server = once<InstalledServer>(() => installServer(printLine));

/** How each suite runs. Rejects with `Unavailable` if this machine lacks a prerequisite. */
const SUITES: Readonly<Record<string, (include: readonly string[], say: Say) => Promise<Count>>> = {
  check: (_include, say) => runChecks(say),
  unit: (include, say) => runVitest('unit', { project: 'unit', include }, say),
  async system(include, say) {
    await browser();
    return runVitest('system', { project: 'system', include }, say);
  },
  async browsers(include, say) {
    const { path } = await otherBrowser();
    const exclude = [BROWSER_INDEPENDENT, ...(isLong ? [] : [BROWSER_LONG])].flatMap((left) => Object.keys(left));
    const tests = include.length > 0 ? { include } : { include: BROWSER_TESTS, exclude };
    return runVitest(
      'browsers',
      { project: 'system', ...tests, env: { TASKWRIGHT_BROWSER: path, TASKWRIGHT_TEST_REPEATED: '1' } },
      say,
    );
  },
  async attacks(include, say) {
    await browser();
    return runVitest('attacks', { project: 'attacks', include }, say);
  },
  async docker(include, say) {
    await docker();
    await browser();
    return runVitest('docker', { project: 'docker', include }, say);
  },
  async host(include, say) {
    return runHostSuites(await server(), (await browser()).path, include, say);
  },
  async journeys(include, say) {
    await browser();
    await server();
    await packageVsix();
    return runVitest('journeys', { project: 'journeys', include }, say);
  },
  async desktop(_include, say) {
    if (!(await canDownload())) throw new Unavailable('VS Code cannot be downloaded.');
    return runDesktopSuites(say);
  },
};

/** Runs a suite. A suite that cannot run here is skipped, or fails in CI. Never rejects. */
async function runSuite(name: string, include: readonly string[], say: Say): Promise<Count> {
  try {
    return (await SUITES[name]?.(include, say)) ?? NOTHING;
  } catch (error) {
    if (error instanceof Unavailable) {
      say(`${name}: ${inCi ? 'cannot run' : 'skipped'}: ${error.message}\n`);
      return inCi ? failed(name, error) : NOTHING;
    }
    say(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    return failed(name, error);
  }
}

/** The counts of the suites so far, in total and as rows of a table. */
class Totals {
  count = NOTHING;
  readonly #rows: string[] = [];
  readonly #began = performance.now();

  record(name: string, count: Count, began: number): void {
    this.count = add(this.count, count);
    this.#addRow(name, began, `${count.passed} passed, ${count.failures.length} failed`);
  }

  #addRow(name: string, began: number, text: string): void {
    const seconds = ((performance.now() - began) / 1000).toFixed(1).padStart(7);
    this.#rows.push(`${seconds} s  ${name.padEnd(10)} ${text}`);
  }

  print(): void {
    if (this.count.failures.length > 0) printLine(`\n${describeFailures(this.count)}`);
    if (this.count.files.length > 0) printLine(`\nSlowest files:\n${describeSlowestFiles(this.count)}`);
    this.#addRow('all', this.#began, 'wall-clock time');
    printLine(`\nSuites:\n${this.#rows.join('\n')}`);
  }
}

/**
 * Runs the suites of the lanes. Where several lanes run, the output of a suite appears as a whole when the suite ends, so
 * that the outputs of different suites do not mix.
 */
async function runLanes(
  lanes: readonly (readonly string[])[],
  include: readonly string[],
  totals: Totals,
): Promise<void> {
  await Promise.all(
    lanes.map(async (lane) => {
      for (const name of lane) {
        const began = performance.now();
        const title = `\n── ${name} ──\n`;
        const output: string[] = [];
        const direct = lanes.length === 1;
        if (direct) print(title);
        else printLine(`${name}: started`);
        const count = await runSuite(name, include, direct ? print : (text) => void output.push(text));
        if (!direct) print(`${title}${output.join('')}`);
        totals.record(name, count, began);
      }
    }),
  );
}

async function main(totals: Totals): Promise<void> {
  const words = process.argv.slice(2);
  const [first, ...include] = words.filter((word) => word !== LONG);
  if (isLong) process.env['TASKWRIGHT_TEST_LONG'] = '1';
  const stages = first === undefined ? STAGES : [[[first]]];
  const unknown = stages.flat(2).find((name) => !KNOWN.includes(name));
  if (unknown !== undefined) throw new Error(`There is no suite "${unknown}". Suites: ${KNOWN.join(', ')}.`);
  const built = first === 'check' || (await runBuild(totals));
  const needsPython = (stage: readonly (readonly string[])[]): boolean =>
    stage.flat().some((name) => !INDEPENDENT_OF_BUILD.includes(name));
  // Installed while the suites run that do not need it.
  const python = built && stages.some(needsPython) ? installPython(totals) : null;
  for (const stage of stages) {
    if (needsPython(stage)) await python;
    const lanes = built ? stage : stage.map((lane) => lane.filter((name) => INDEPENDENT_OF_BUILD.includes(name)));
    await runLanes(lanes, include, totals);
  }
}

/** Without its packages the tests of Python are skipped, which is a failure in CI. */
async function installPython(totals: Totals): Promise<void> {
  const began = performance.now();
  try {
    await preparePython(printLine);
  } catch (error) {
    printLine(`Tests that need Python packages ${inCi ? 'cannot run' : 'are skipped'}: ${(error as Error).message}`);
    if (inCi) totals.record('python', failed('python', error), began);
  }
}

/** Builds every program into dist/. False if the build fails. */
async function runBuild(totals: Totals): Promise<boolean> {
  const began = performance.now();
  try {
    await build();
  } catch (error) {
    printLine(error instanceof Error ? error.message : String(error));
    totals.record('build', failed('build', error), began);
    return false;
  }
  totals.record('build', PASSED, began);
  return true;
}

const totals = new Totals();
beforeEnding(() => totals.print());
try {
  await main(totals);
} catch (error) {
  printLine(error instanceof Error ? error.message : String(error));
  totals.count = add(totals.count, failed('tests', error));
}
// The last line, after everything else has ended.
process.on('exit', () => printLine(`\n${totals.count.passed} passed, ${totals.count.failures.length} failed`));
await end(totals.count.failures.length === 0 && totals.count.passed > 0 ? 0 : 1);
