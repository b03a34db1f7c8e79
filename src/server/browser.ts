import { statfs } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { type Browser, chromium } from 'playwright-core';
import { locateBrowser } from '../environments/browser/locate.ts';
import { RequestFailure } from './failure.ts';
import { leaderOf } from './processes.ts';

const LAUNCH_LIMIT = 30_000;

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
  // Full Chromium starts crash handlers that leave its process group and its session, so nothing could end them with it.
  '--disable-crashpad-for-testing',
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
 * Starts a browser. `trySandbox`: false where it is known that this machine lets it have none.
 *
 * @throws RequestFailure `browser_missing`, `browser_failed`
 */
export async function startBrowser(trySandbox: boolean): Promise<StartedBrowser> {
  // To ask for its version would start it once more before it is started.
  const located = await locateBrowser({ version: false });
  if ('tried' in located) {
    throw new RequestFailure(
      'browser_missing',
      `No browser was found. Install Chrome, Edge or Chromium, or set TASKWRIGHT_BROWSER to a browser's program. Looked for:\n${located.tried.join('\n')}`,
    );
  }
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
      timeout: LAUNCH_LIMIT,
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
    try {
      return { browser, pid: await pidOf(browser), name: `${name} (${path})`, sandboxed };
    } catch (error) {
      // Nobody could end it later.
      await browser.close();
      throw error;
    }
  } catch (error) {
    throw new RequestFailure(
      'browser_failed',
      `The browser ${path} could not be started. Set TASKWRIGHT_BROWSER to another one, or see what it says:\n${String(error)}`,
      { cause: error },
    );
  }
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
