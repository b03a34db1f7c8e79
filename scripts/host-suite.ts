import { cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { build } from 'esbuild';
import { chromium } from 'playwright';
import { stopAnimations, workbenchArguments } from './browser.ts';
import { add, type Count, countFailure, NOTHING } from './count.ts';
import { beforeEnding } from './ending.ts';
import { outFolder, root } from './places.ts';
import type { SuiteOptions } from './suite-options.ts';
import { TEST_EXTENSIONS, TEST_SETTINGS } from './test-settings.ts';
import { startServer } from './vscode-server.ts';
import type { InstalledServer } from './vscode-server-install.ts';

/** Folders of test/host: each runs in a window of its own, trusted or not. */
export const HOST_SUITES = ['trusted', 'untrusted'] as const;
export type HostSuite = (typeof HOST_SUITES)[number];

const LIMIT_MS = 900_000;

const HOST_OUT = join(outFolder, 'host');

/**
 * Bundles the mocha suites of test/host for the extension host.
 * @param filters parts of the paths of files; none means all
 * @param shard `1/3`: the first of three parts of the files
 * @returns the folders that have tests
 */
export async function buildHostSuites(filters: readonly string[] = [], shard = '1/1'): Promise<readonly HostSuite[]> {
  await rm(HOST_OUT, { recursive: true, force: true });
  const sources = join(root, 'test', 'host');
  const [part = 1, parts = 1] = shard.split('/').map(Number);
  const suites = (await readdir(sources, { recursive: true }))
    .filter((name) => name.endsWith('.test.ts'))
    .filter(
      (name) => filters.length === 0 || filters.some((filter) => `test/host/${withSlashes(name)}`.includes(filter)),
    )
    .sort()
    .filter((_, index) => index % parts === part - 1);
  await build({
    absWorkingDir: root,
    entryPoints: ['index.ts', ...suites].map((name) => join(sources, name)),
    outbase: sources,
    outdir: HOST_OUT,
    bundle: true,
    platform: 'node',
    target: 'node22',
    format: 'cjs',
    sourcemap: 'inline',
    external: ['vscode', 'mocha'],
    logLevel: 'warning',
  });
  return HOST_SUITES.filter((suite) => suites.some((name) => name.startsWith(suite + sep)));
}

function withSlashes(path: string): string {
  return path.replaceAll(sep, '/');
}

/** The folders and settings of a window; `dispose` removes them. */
export interface HostWorkspace {
  readonly folder: string;
  /** The suite's environment: which tests to run, and where to write their result. */
  readonly env: Readonly<Record<string, string>>;
  readonly results: string;
  readonly entry: string;
  dispose(): Promise<void>;
}

/** Copies the examples and the fixtures into a folder that tests may write to. */
export async function prepareHostWorkspace(suite: HostSuite): Promise<HostWorkspace> {
  const base = await mkdtemp(join(tmpdir(), 'taskwright-host-'));
  const folder = join(base, 'workspace');
  await mkdir(folder);
  await cp(join(root, 'examples'), join(folder, 'examples'), {
    recursive: true,
    // The MiniWoB++ examples need its pages.
    filter: (path) => !/[\\/](\.taskwright|examples[\\/]miniwob)/.test(path),
  });
  await cp(join(root, 'test', 'host', 'fixtures'), join(folder, 'broken'), { recursive: true });
  const results = join(base, 'results.json');
  return {
    folder,
    results,
    entry: join(HOST_OUT, 'index.js'),
    env: { TASKWRIGHT_HOST_SUITE: suite, TASKWRIGHT_HOST_RESULTS: results },
    dispose: () => rm(base, { recursive: true, force: true }),
  };
}

/** Reads the result that the suite wrote at its end. A suite without a result counts as one failure. */
export async function readHostResults(workspace: HostWorkspace, say: (text: string) => void): Promise<Count> {
  try {
    return JSON.parse(await readFile(workspace.results, 'utf8')) as Count;
  } catch {
    say('The suite ended without a result.\n');
    return countFailure('host', 'The suite ended without a result.');
  }
}

/** Runs the mocha suites inside the extension host of a real VS Code, which a headless browser opens. */
export async function runHostSuites(
  server: InstalledServer,
  browserPath: string,
  { include, shard }: SuiteOptions,
  say: (text: string) => void,
): Promise<Count> {
  const suites = await buildHostSuites(include, shard);
  if (suites.length === 0) throw new Error(`No test file has ${include.join(' or ')} in its name.`);
  let count = NOTHING;
  for (const suite of suites) {
    say(`\n${suite} window\n`);
    count = add(count, await runInWindow(server, browserPath, suite, say));
  }
  return count;
}

async function runInWindow(
  server: InstalledServer,
  browserPath: string,
  suite: HostSuite,
  say: (text: string) => void,
): Promise<Count> {
  const workspace = await prepareHostWorkspace(suite);
  const running = await startServer(server, {
    dataFolder: join(workspace.folder, '..', 'vscode'),
    smokeTestDriver: true,
    workspaceTrust: suite === 'untrusted',
    builtIn: TEST_EXTENSIONS,
    // In a browser VS Code saves after a second: tests that revert their changes need unsaved documents.
    settings: { ...TEST_SETTINGS, 'files.autoSave': 'off' },
    env: { ...workspace.env, TASKWRIGHT_BROWSER: browserPath, TASKWRIGHT_PATIENCE: '5' },
  });
  beforeEnding(() => running.stop());
  const browser = await chromium.launch({ executablePath: browserPath, args: workbenchArguments('long-lived') });
  beforeEnding(() => browser.close());
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
    await stopAnimations(page);
    const end = new Promise<void>((resolve, reject) => {
      const limit = setTimeout(() => reject(new Error(`no end after ${LIMIT_MS / 1000} s`)), LIMIT_MS);
      const finish = (): void => {
        clearTimeout(limit);
        resolve();
      };
      page.once('crash', () => reject(new Error('the page crashed')));
      void running.end.then(() => reject(new Error('the server ended')));
      void page.exposeFunction('codeAutomationExit', finish);
    });
    await page.exposeFunction('codeAutomationLog', (_type: string, args: readonly unknown[]) => {
      const text = args.map(String).join(' ');
      if (text.startsWith(OUTPUT_MARK)) say(`${text.slice(OUTPUT_MARK.length)}\n`);
    });
    const uri = (path: string): string => `vscode-remote://${running.authority}${path}`;
    const payload = JSON.stringify([
      ['extensionDevelopmentPath', uri(root)],
      ['extensionTestsPath', uri(workspace.entry)],
    ]);
    const report = end.catch((error: Error) => say(`${error.message}\n`));
    await page.goto(running.address({ folder: workspace.folder, payload }), { waitUntil: 'commit', timeout: LIMIT_MS });
    await report;
    return await readHostResults(workspace, say);
  } finally {
    await browser.close();
    await running.stop();
    await workspace.dispose();
  }
}

/** Marks the lines of the test reporter among everything that an extension host logs. */
const OUTPUT_MARK = '[host-test] ';
