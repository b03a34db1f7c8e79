import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LocatedBrowser } from '../src/environments/browser/launch/locate.ts';
import { findDocker } from '../src/placement/containers.ts';
import { findOrInstallBrowser, findOtherBrowser } from './browser.ts';
import {
  BROWSER_CASES,
  BROWSER_DIGEST,
  BROWSER_FILES,
  BROWSER_INDEPENDENT,
  BROWSER_LONG,
  BROWSER_TESTS,
  browserDigest,
} from './browser-tests.ts';
import { add, type Count, countFailure, NOTHING } from './count.ts';
import { canDownload } from './desktop.ts';
import { runDesktopSuites } from './desktop-suite.ts';
import { runHostSuites } from './host-suite.ts';
import { inCi } from './in-ci.ts';
import { runLint } from './lint-suite.ts';
import { packageVsix } from './package-vsix.ts';
import { root } from './places.ts';
import type { SuiteName, SuiteOptions } from './suite-options.ts';
import { runVitest, type VitestOptions } from './vitest-suite.ts';
import { type InstalledServer, installServer } from './vscode-server-install.ts';

type Say = (text: string) => void;

const print: Say = (text) => {
  process.stdout.write(text);
};
const printLine: Say = (text) => print(`${text}\n`);

const isLong = process.env['TASKWRIGHT_TEST_LONG'] === '1';

/** A suite that this machine cannot run. */
class Unavailable extends Error {}

/** Runs `find` and turns its failure into a reason why a suite is unavailable. */
async function requireSuite<T>(find: () => Promise<T>): Promise<T> {
  try {
    return await find();
  } catch (error) {
    throw new Unavailable(error instanceof Error ? error.message : String(error));
  }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= requireSuite(make);
    return result;
  };
}

const browser = once<LocatedBrowser>(async () => {
  const installation = await findOrInstallBrowser(printLine);
  printLine(`Browser: ${installation.name} ${installation.version ?? ''} (${installation.path})`);
  return installation;
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
const SUITES: Readonly<Record<SuiteName, (options: SuiteOptions) => Promise<Count>>> = {
  lint: () => runLint(print),
  unit: (options) => runVitest('unit', { project: 'unit', ...options }, print),
  async system(options) {
    await browser();
    return runVitest('system', { project: 'system', ...options }, print);
  },
  async browsers(options) {
    const env = { TASKWRIGHT_BROWSER: (await otherBrowser()).path, TASKWRIGHT_TEST_REPEATED: '1' };
    const run = (name: string, more: Partial<VitestOptions>): Promise<Count> =>
      runVitest(name, { project: 'system', ...options, env, ...more }, print);
    if (options.include.length > 0) return run('browsers', {});
    const digest = browserDigest(root);
    const record = JSON.parse(await readFile(join(root, BROWSER_DIGEST), 'utf8')) as { digest: string };
    if (!isLong && digest === record.digest) {
      const cases = Object.values(BROWSER_CASES).flat();
      return add(
        await run('browsers', { include: BROWSER_FILES }),
        await run('browsers-cases', { include: Object.keys(BROWSER_CASES), tests: cases }),
      );
    }
    const exclude = [BROWSER_INDEPENDENT, ...(isLong ? [] : [BROWSER_LONG])].flatMap((left) => Object.keys(left));
    const count = await run('browsers', { include: BROWSER_TESTS, exclude });
    if (count.failures.length === 0 && options.shard === undefined)
      await writeFile(join(root, BROWSER_DIGEST), `${JSON.stringify({ digest }, null, 2)}\n`);
    return count;
  },
  async attacks(options) {
    await browser();
    return runVitest('attacks', { project: 'attacks', ...options }, print);
  },
  async docker(options) {
    await docker();
    await browser();
    return runVitest('docker', { project: 'docker', ...options }, print);
  },
  async host(options) {
    return runHostSuites(await server(), (await browser()).path, options, print);
  },
  async journeys(options) {
    await browser();
    await server();
    await packageVsix();
    return runVitest('journeys', { project: 'journeys', ...options }, print);
  },
  async desktop() {
    if (!(await canDownload())) throw new Unavailable('VS Code cannot be downloaded.');
    return runDesktopSuites(print);
  },
};

/** Runs a suite in this process. A suite that cannot run here is skipped, or fails in CI. Never rejects. */
export async function runSuite(name: SuiteName, options: SuiteOptions): Promise<Count> {
  try {
    return await SUITES[name](options);
  } catch (error) {
    if (error instanceof Unavailable) {
      printLine(`${name}: ${inCi ? 'cannot run' : 'skipped'}: ${error.message}`);
      return inCi ? countFailure(name, error) : NOTHING;
    }
    printLine(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return countFailure(name, error);
  }
}

/**
 * Installs what suites share, so that two that start at the same time do not both install it. A failure is reported by
 * the suites.
 */
export async function prepareSuites(names: readonly SuiteName[]): Promise<void> {
  const quiet: Say = () => {};
  const install = async (work: () => Promise<unknown>): Promise<void> => {
    await work().catch(() => {});
  };
  if (names.some((name) => name !== 'lint' && name !== 'unit')) await install(() => findOrInstallBrowser(quiet));
  if (names.includes('host') || names.includes('journeys')) await install(() => installServer(printLine));
}
