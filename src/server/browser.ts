import { statfs } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { type Browser, chromium } from 'playwright-core';
import { patient } from '../base/patience.ts';
import { withTimeout } from '../base/timeout.ts';
import { locateBrowser } from '../environments/browser/launch/locate.ts';
import { registerPageFunctions } from '../environments/browser/pages/callable.ts';
import { leaderOf } from '../processes/groups.ts';
import { RequestFailure } from './failure.ts';
import { refusedPorts } from './refused-ports.ts';

/** Time limit for each part of the start of a browser, in ms. */
const START_LIMIT = patient(30_000);
/** Maximum length of the error of a failed start in the log, in characters. */
const MAX_LOGGED = 8_000;

/**
 * Chromium features to disable. Chromium uses only the last such list, so it includes those that Playwright disables.
 */
const DISABLED_FEATURES = [
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'TcpPortRandomizationWin',
  'ThirdPartyStoragePartitioning',
  'msEdgeUpdateLaunchServicesPreferredVersion',
  'msForceBrowserSignIn',
  // With it each page gets a new frame host, to which all clients reconnect: a fifth of the cost of a short page.
  'RenderDocument',
];

const FLAGS = [
  `--disable-features=${DISABLED_FEATURES.join()}`,
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Names and addresses of this machine. Other names that lead to it are refused by the programs that listen. */
const LOOPBACK_HOSTS = ['localhost', '*.localhost', '127.*', '0.0.0.0', '[::1]', '[::]'];

/** How the browser resolves hosts. The first rule that fits counts. */
function hostFlags(): string[] {
  const rules = refusedPorts(process.env).flatMap((port) =>
    LOOPBACK_HOSTS.map((host) => `MAP ${host}:${port} ~NOTFOUND`),
  );
  const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  // Most containers have no IPv6 loopback.
  if (!addresses.some(({ address }) => address === '::1')) rules.push('MAP ::1 127.0.0.1');
  return rules.length === 0 ? [] : [`--host-resolver-rules=${rules.join(', ')}`];
}

/** Large pages crash with less, such as the default of `docker run` (64 MB). */
const MIN_SHARED_MEMORY = 128 * 1024 * 1024;

/** Whether the browser should use files instead of shared memory. */
async function hasLittleSharedMemory(): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  // It is missing in some containers.
  const memory = await statfs('/dev/shm').catch(() => null);
  return memory === null || memory.blocks * memory.bsize < MIN_SHARED_MEMORY;
}

/** The browser of one session. Controlled over a pipe, so it has no port and ends with the process that started it. */
export interface StartedBrowser {
  readonly browser: Browser;
  /** The leader of its process group. */
  readonly pid: number;
  /** Name and path, for the log. */
  readonly name: string;
  /** Whether its sandbox is on. */
  readonly sandboxed: boolean;
}

/**
 * Starts a browser.
 *
 * @param trySandbox false if the sandbox is known not to work on this machine
 * @param limit time limit for each part of the start, in ms
 * @throws RequestFailure `browser_missing`, `browser_failed`
 */
export async function startBrowser(trySandbox: boolean, limit = START_LIMIT): Promise<StartedBrowser> {
  // Determining the version would start the browser once more.
  const location = await locateBrowser({ version: false });
  if ('tried' in location) {
    throw new RequestFailure(
      'browser_missing',
      `No browser was found. Install Chrome, Edge, or Chromium, or set TASKWRIGHT_BROWSER (in VS Code taskwright.browser.path) to the path of a browser. Searched for:\n${location.tried.join('\n')}`,
    );
  }
  await registerPageFunctions();
  const { path, name } = location.found;
  const args = [...FLAGS, ...hostFlags(), ...((await hasLittleSharedMemory()) ? ['--disable-dev-shm-usage'] : [])];
  const launch = (chromiumSandbox: boolean): Promise<Browser> =>
    chromium.launch({
      executablePath: path,
      headless: true,
      chromiumSandbox,
      args,
      // Set for each tab instead.
      ignoreDefaultArgs: ['--hide-scrollbars'],
      timeout: limit,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
  let sandboxed = trySandbox && (process.platform !== 'linux' || process.getuid?.() !== 0);
  try {
    const browser = await launch(sandboxed).catch((error: unknown) => {
      if (!sandboxed || !/sandbox/i.test(String(error))) throw error;
      sandboxed = false;
      return launch(sandboxed);
    });
    const pid = await withTimeout(limit, pidOf(browser));
    if (pid === null) throw new Error(`Timeout ${limit}ms exceeded while requesting the browser's process id.`);
    return { browser, pid, name: `${name} (${path})`, sandboxed };
  } catch (error) {
    process.stderr.write(`${String(error).slice(0, MAX_LOGGED)}\n`);
    throw new RequestFailure(
      'browser_failed',
      `The browser ${path} ${whyNotStarted(String(error), limit)}. Run “taskwright doctor”, or set TASKWRIGHT_BROWSER to another browser. Its output is in the log.`,
      { cause: error },
    );
  }
}

/** Why a browser did not start, as a predicate: “exited with code 1 while it started”. */
export function whyNotStarted(error: string, limit: number): string {
  if (/Timeout \d+ms exceeded/.test(error)) return `did not start within ${limit / 1000} s`;
  const [, exitCode, signal] = /<process did exit: exitCode=(\w+), signal=(\w+)>/.exec(error) ?? [];
  if (exitCode !== undefined && exitCode !== 'null') return `exited with code ${exitCode} while it started`;
  // Playwright kills a browser that closes its pipe.
  const killedByPlaywright = signal === 'SIGKILL' && error.includes('<will force kill>');
  if (signal !== undefined && !killedByPlaywright) return `was ended by ${signal} while it started`;
  const code = /\b(ENOENT|EACCES|ENOEXEC|ENOMEM|EAGAIN|EMFILE|ENFILE)\b/.exec(error)?.[1];
  return code === undefined ? 'closed its connection while it started' : `could not be started (${code})`;
}

/** The process id of a browser. Playwright reports it only for browser servers. */
async function pidOf(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const mainProcess = processInfo.find(({ type }) => type === 'browser');
  if (mainProcess === undefined) throw new Error('the browser does not report its process id');
  return leaderOf(mainProcess.id);
}
