// Runs the suite that is named, or all of them, and ends with one line over all: `N passed, N failed`.
// `--long` runs every case of generators, fuzzers and attacks instead of a seeded sample.

import type { LocatedBrowser } from '../src/environments/browser/locate.ts';
import { findDocker } from '../src/placement/docker/main.ts';
import { findOrInstallBrowser, findOtherBrowser } from './browser.ts';
import { build } from './build.ts';
import { runChecks } from './check-suite.ts';
import { add, type Count, describeFailures, describeSlowestFiles, failed, NOTHING, PASSED } from './count.ts';
import { runDesktopSuites } from './desktop-suite.ts';
import { beforeEnding, end } from './ending.ts';
import { runHostSuites } from './host-suite.ts';
import { packageVsix } from './package-vsix.ts';
import { root } from './places.ts';
import { runVitest } from './vitest-suite.ts';
import { type InstalledServer, installServer } from './vscode-server-install.ts';

/** In this order, the quickest first. `desktop` only by name: it repeats `host` in a downloaded desktop VS Code. */
const ALL = ['check', 'unit', 'system', 'browsers', 'attacks', 'docker', 'host', 'journeys'];
const KNOWN = [...ALL, 'desktop'];
const LONG = '--long';

/** What depends on the browser: the suite `browsers` runs these tests of `system` in another browser. */
const BROWSER_TESTS = ['environments', 'functions', 'server', 'placement'].map((name) => `test/system/${name}/`);

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const inCi = Boolean(process.env['CI']) && process.env['CI'] !== 'false';

/** Something a suite needs and this machine lacks: says so and goes on here, a failure where nobody would read it. */
function lacking(suite: string, error: unknown): Count {
  const reason = error instanceof Error ? error.message : String(error);
  say(`${suite}: ${inCi ? 'cannot run' : 'skipped'}: ${reason}`);
  return inCi ? failed(suite, reason) : NOTHING;
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const browser = once<LocatedBrowser>(async () => {
  const found = await findOrInstallBrowser(say);
  say(`Browser: ${found.name} ${found.version ?? ''} (${found.path})`);
  return found;
});
const server = once<InstalledServer>(() => installServer(say));

/** Which Docker there is; rejects with the reason where there is none. */
async function docker(): Promise<string> {
  const state = await findDocker(root);
  if (!state.found) throw new Error(state.message);
  return `Docker: ${state.version} at ${state.host}`;
}

async function runSuite(name: string, filters: readonly string[]): Promise<Count> {
  if (name === 'check') return runChecks();
  if (name === 'unit') return runVitest('unit', filters);
  if (name === 'desktop') return runDesktopSuites(lacking);
  if (name === 'browsers') return runInOtherBrowser(filters);
  let needed: { browser: LocatedBrowser; server: InstalledServer | null };
  try {
    if (name === 'docker') say(await docker());
    const withEditor = name === 'host' || name === 'journeys';
    needed = { browser: await browser(), server: withEditor ? await server() : null };
  } catch (error) {
    return lacking(name, error);
  }
  if (name === 'host' && needed.server !== null) return runHostSuites(needed.server, needed.browser.path, filters);
  if (name === 'journeys') await packageVsix();
  return runVitest(name, filters);
}

async function runInOtherBrowser(filters: readonly string[]): Promise<Count> {
  let other: LocatedBrowser;
  try {
    other = await findOtherBrowser(await browser());
  } catch (error) {
    return lacking('browsers', error);
  }
  say(`Other browser: ${other.name} ${other.version ?? ''} (${other.path})`);
  return runVitest('system', filters.length > 0 ? filters : BROWSER_TESTS, { TASKWRIGHT_BROWSER: other.path });
}

async function main(): Promise<Count> {
  const words = process.argv.slice(2);
  const [first, ...filters] = words.filter((word) => word !== LONG);
  if (words.includes(LONG)) process.env['TASKWRIGHT_TEST_LONG'] = '1';
  const asked = first === undefined ? ALL : [first];
  const unknown = asked.find((name) => !KNOWN.includes(name));
  if (unknown !== undefined) throw new Error(`There is no suite "${unknown}". Suites: ${KNOWN.join(', ')}.`);
  let total = NOTHING;
  const rows: string[] = [];
  const record = (name: string, count: Count, began: number): void => {
    total = add(total, count);
    const seconds = ((performance.now() - began) / 1000).toFixed(1).padStart(7);
    rows.push(`${seconds} s  ${name.padEnd(10)} ${count.passed} passed, ${count.failures.length} failed`);
  };
  beforeEnding(() => {
    if (total.failures.length > 0) say(`\n${describeFailures(total)}`);
    if (total.files.length > 0) say(`\nSlowest files:\n${describeSlowestFiles(total)}`);
    if (rows.length > 0) say(`\nSuites:\n${rows.join('\n')}`);
  });

  let broken: Error | undefined;
  if (asked.some((name) => name !== 'check')) {
    const began = performance.now();
    broken = await build().then(
      () => undefined,
      (error: Error) => error,
    );
    if (broken !== undefined) say(broken.message);
    record('build', broken === undefined ? PASSED : failed('build', broken), began);
  }
  for (const name of asked) {
    say(`\n── ${name} ──`);
    const began = performance.now();
    if (broken !== undefined && name !== 'check' && name !== 'unit') {
      say(`${name}: not run, the build failed`);
      continue;
    }
    const count = await runSuite(name, filters).catch((error: unknown) => {
      say(error instanceof Error ? (error.stack ?? error.message) : String(error));
      return failed(name, error);
    });
    record(name, count, began);
  }
  return total;
}

let total: Count;
try {
  total = await main();
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  total = failed('tests', error);
}
// Registered first of all would be undone last: said after everything else has ended.
process.on('exit', () => say(`\n${total.passed} passed, ${total.failures.length} failed`));
await end(total.failures.length === 0 && total.passed > 0 ? 0 : 1);
