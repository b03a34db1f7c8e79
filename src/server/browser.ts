import { statfs } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { type Browser, chromium } from 'playwright-core';
import { locateBrowser } from '../environments/browser/launch/locate.ts';
import { registerPageFunctions } from '../environments/browser/pages/callable.ts';
import { RequestFailure } from './failure.ts';
import { inTime } from './in-time.ts';
import { leaderOf } from './processes.ts';

/** How long a browser may take to start, in milliseconds. */
const LAUNCH_LIMIT = 30_000;
/** How much of what Playwright and the browser say about a failed start goes to the log, in characters. */
const MOST_LOGGED = 8_000;

/**
 * What of Chromium is turned off. The browser takes the last list that it is given, so all that Playwright turns off stands
 * here again.
 */
const FEATURES_OFF = [
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
  // With it each page has a frame of its own, which all who listen are connected to anew: a fifth of a short page's cost.
  'RenderDocument',
];

const FLAGS = [
  `--disable-features=${FEATURES_OFF.join()}`,
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A container mostly has no IPv6, not even of its own: what is at `[::1]` is at `127.0.0.1` then. */
function loopbackFlags(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  return addresses.some(({ address }) => address === '::1') ? [] : ['--host-resolver-rules=MAP ::1 127.0.0.1'];
}

/** Less than this, as `docker run` gives by itself (64 MB), and large pages crash. */
const ENOUGH_SHARED_MEMORY = 128 * 1024 * 1024;

/** Whether what the browser's processes share has better be files. */
async function hasLittleSharedMemory(): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const shared = await statfs('/dev/shm').catch(() => null);
  return shared === null || shared.blocks * shared.bsize < ENOUGH_SHARED_MEMORY;
}

/** The browser of one session, driven over a pipe: it has no port, and ends with the process that started it. */
export interface StartedBrowser {
  readonly browser: Browser;
  /** Leads the group of its processes. */
  readonly pid: number;
  /** Its name and its program. */
  readonly name: string;
  /** Whether its own sandbox could be used. */
  readonly sandboxed: boolean;
}

/**
 * Starts a browser.
 *
 * @param trySandbox false where this machine is known to allow the browser no sandbox
 * @param limit milliseconds that each part of the start may take
 * @throws RequestFailure `browser_missing`, `browser_failed`
 */
export async function startBrowser(trySandbox: boolean, limit = LAUNCH_LIMIT): Promise<StartedBrowser> {
  // Asking for its version would start the browser an additional time.
  const located = await locateBrowser({ version: false });
  if ('tried' in located) {
    throw new RequestFailure(
      'browser_missing',
      `No browser was found. Install Chrome, Edge or Chromium, or set TASKWRIGHT_BROWSER to a browser's program. Looked for:\n${located.tried.join('\n')}`,
    );
  }
  await registerPageFunctions();
  const { path, name } = located.found;
  const args = [...FLAGS, ...loopbackFlags(), ...((await hasLittleSharedMemory()) ? ['--disable-dev-shm-usage'] : [])];
  const launch = (chromiumSandbox: boolean): Promise<Browser> =>
    chromium.launch({
      executablePath: path,
      headless: true,
      chromiumSandbox,
      args,
      // Each tab says whether it shows them.
      ignoreDefaultArgs: ['--hide-scrollbars'],
      timeout: limit,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
  let sandboxed = trySandbox && (process.platform !== 'linux' || process.getuid?.() !== 0);
  try {
    let browser: Browser;
    try {
      browser = await launch(sandboxed);
    } catch (error) {
      if (!sandboxed || !/sandbox/i.test(String(error))) throw error;
      sandboxed = false;
      browser = await launch(sandboxed);
    }
    const pid = await inTime(limit, pidOf(browser));
    if (pid === null) throw new Error(`Timeout ${limit}ms exceeded while the browser was asked for its process.`);
    return { browser, pid, name: `${name} (${path})`, sandboxed };
  } catch (error) {
    process.stderr.write(`${String(error).slice(0, MOST_LOGGED)}\n`);
    throw new RequestFailure(
      'browser_failed',
      `The browser ${path} ${whyNotStarted(String(error), limit)}. Run “taskwright doctor”, or set TASKWRIGHT_BROWSER to another browser. Its output is in the log.`,
      { cause: error },
    );
  }
}

/** Why a browser could not be started, as the end of a sentence about it. */
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

/** Playwright tells the process of a browser only where it serves it to others. */
async function pidOf(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const main = processInfo.find(({ type }) => type === 'browser');
  if (main === undefined) throw new Error('the browser does not tell its process');
  return leaderOf(main.id);
}
