import { execFile } from 'node:child_process';
import { access, constants, readdir, readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { patient } from '../../../base/patience.ts';

const run = promisify(execFile);
const VERSION_LIMIT = patient(10_000);

/** A browser executable on this machine. */
export interface LocatedBrowser {
  readonly path: string;
  /** The product: `Google Chrome`, `Chromium`, ... */
  readonly name: string;
  /** `156.0.8078.79`; null if unknown or not requested. */
  readonly version: string | null;
}

export interface LocateOptions {
  /** False to leave out the version, because reading it starts the program on Linux and macOS. */
  readonly version?: boolean;
  /** Environment variables; by default those of the process. */
  readonly env?: NodeJS.ProcessEnv;
  readonly platform?: NodeJS.Platform;
  /** The root of well-known folders; `/` by default. For tests. */
  readonly root?: string;
  /** Whether a product is accepted, by name; all by default. For tests. */
  readonly accepts?: (name: string) => boolean;
}

interface Candidate {
  readonly name: string;
  readonly path: string;
}

/**
 * Finds the browser for the environments: `TASKWRIGHT_BROWSER`, or chromium-headless-shell, Chrome, Edge, or Chromium
 * on this machine (in its usual folder, then on the PATH), or a download of Playwright. `tried` lists everything that
 * was searched. An invalid `TASKWRIGHT_BROWSER` is never ignored.
 *
 * The headless shell comes first: it has the same engine without a user interface. Compared to full Chromium, it starts
 * in half the time, opens a page in a fifth, and clicks in half.
 */
export async function locateBrowser(
  options: LocateOptions = {},
): Promise<{ readonly found: LocatedBrowser } | { readonly tried: readonly string[] }> {
  const { env = process.env, platform = process.platform, root = '', accepts = () => true } = options;
  const setting = env['TASKWRIGHT_BROWSER'];
  if (setting !== undefined && setting !== '') {
    if (!(await isProgram(setting, platform))) {
      return {
        tried: [
          `${setting}, the value of TASKWRIGHT_BROWSER or of taskwright.browser.path (not an executable program)`,
        ],
      };
    }
    return { found: await describe({ name: productOf(setting), path: resolve(setting) }, options, platform) };
  }
  const tried: string[] = ['TASKWRIGHT_BROWSER (not set)'];
  for (const { name, places, commands } of products(platform, env)) {
    if (!accepts(name)) continue;
    for (const place of places) {
      const path = `${root}${place}`;
      if (await isProgram(path, platform)) return { found: await describe({ name, path }, options, platform) };
      tried.push(path);
    }
    for (const command of commands) {
      const path = await onPath(command, env, platform);
      if (path !== null) return { found: await describe({ name, path }, options, platform) };
      tried.push(`${command} on the PATH`);
    }
  }
  const folder = playwrightFolder(env, platform);
  for (const candidate of await downloads(folder)) {
    if (!accepts(candidate.name) || !(await isProgram(candidate.path, platform))) continue;
    return { found: await describe(candidate, options, platform) };
  }
  tried.push(`a download of Playwright's in ${folder}`);
  return { tried };
}

/** The usual folder of each product, and the name of its command. */
function products(platform: NodeJS.Platform, env: NodeJS.ProcessEnv) {
  if (platform === 'win32') {
    const roots = [env['PROGRAMFILES'], env['PROGRAMFILES(X86)'], env['LOCALAPPDATA']].filter(
      (folder): folder is string => folder !== undefined && folder !== '',
    );
    const under = (tail: string) => roots.map((folder) => `${folder}\\${tail}`);
    return [
      { name: 'Chromium headless shell', places: [], commands: ['chrome-headless-shell.exe'] },
      { name: 'Google Chrome', places: under('Google\\Chrome\\Application\\chrome.exe'), commands: [] },
      { name: 'Microsoft Edge', places: under('Microsoft\\Edge\\Application\\msedge.exe'), commands: [] },
      { name: 'Chromium', places: under('Chromium\\Application\\chrome.exe'), commands: ['chromium.exe'] },
    ];
  }
  if (platform === 'darwin') {
    const app = (name: string) =>
      ['', env['HOME'] ?? ''].map((folder) => `${folder}/Applications/${name}.app/Contents/MacOS/${name}`);
    return [
      { name: 'Chromium headless shell', places: [], commands: ['chrome-headless-shell'] },
      { name: 'Google Chrome', places: app('Google Chrome'), commands: [] },
      { name: 'Microsoft Edge', places: app('Microsoft Edge'), commands: [] },
      { name: 'Chromium', places: app('Chromium'), commands: ['chromium'] },
    ];
  }
  return [
    {
      name: 'Chromium headless shell',
      places: ['/usr/bin/chromium-headless-shell'],
      commands: ['chromium-headless-shell', 'chrome-headless-shell'],
    },
    {
      name: 'Google Chrome',
      places: ['/opt/google/chrome/chrome'],
      commands: ['google-chrome-stable', 'google-chrome'],
    },
    {
      name: 'Microsoft Edge',
      places: ['/opt/microsoft/msedge/msedge'],
      commands: ['microsoft-edge-stable', 'microsoft-edge'],
    },
    { name: 'Chromium', places: ['/usr/bin/chromium'], commands: ['chromium', 'chromium-browser'] },
  ];
}

/** Playwright's download folder, as its registry determines it (`PLAYWRIGHT_BROWSERS_PATH=0` is not supported). */
function playwrightFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  const set = env['PLAYWRIGHT_BROWSERS_PATH'];
  if (set !== undefined && set !== '' && set !== '0') return resolve(env['INIT_CWD'] ?? '', set);
  const home = env['HOME'] ?? homedir();
  if (platform === 'win32') return join(env['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'ms-playwright');
  if (platform === 'darwin') return join(home, 'Library', 'Caches', 'ms-playwright');
  return join(env['XDG_CACHE_HOME'] || join(home, '.cache'), 'ms-playwright');
}

/** Chromium's headless shell, then Chromium, in Playwright's download folder, newest revision first. */
async function downloads(folder: string): Promise<Candidate[]> {
  const kinds = [
    { prefix: 'chromium_headless_shell-', name: 'Chromium headless shell', programs: DOWNLOADED_SHELL },
    { prefix: 'chromium-', name: 'Chromium', programs: DOWNLOADED_CHROMIUM },
  ];
  // Usually, the folder does not exist.
  const names = await readdir(folder).catch(() => []);
  return kinds.flatMap(({ prefix, name, programs }) =>
    names
      .filter((entry) => entry.startsWith(prefix))
      .sort((a, b) => Number(b.slice(prefix.length)) - Number(a.slice(prefix.length)))
      .flatMap((entry) => programs.map((program) => ({ name, path: join(folder, entry, program) }))),
  );
}

const DOWNLOADED_CHROMIUM = [
  'chrome-linux64/chrome',
  'chrome-linux-arm64/chrome',
  'chrome-linux/chrome',
  ...['chrome-mac-arm64', 'chrome-mac-x64'].map(
    (folder) => `${folder}/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing`,
  ),
  'chrome-mac/Chromium.app/Contents/MacOS/Chromium',
  'chrome-win64/chrome.exe',
  'chrome-win/chrome.exe',
];

const DOWNLOADED_SHELL = [
  ...['linux64', 'linux-arm64', 'mac-arm64', 'mac-x64'].map(
    (system) => `chrome-headless-shell-${system}/chrome-headless-shell`,
  ),
  'chrome-headless-shell-win64/chrome-headless-shell.exe',
  'chrome-linux/headless_shell',
  'chrome-mac/headless_shell',
  'chrome-win/headless_shell.exe',
];

/** The product of a program that the user chose, guessed from its name. */
function productOf(path: string): string {
  const name = basename(path).toLowerCase();
  if (name.includes('edge')) return 'Microsoft Edge';
  if (name.includes('headless')) return 'Chromium headless shell';
  if (name.includes('chromium')) return 'Chromium';
  return name.includes('chrome') ? 'Google Chrome' : basename(path);
}

async function describe(candidate: Candidate, options: LocateOptions, platform: NodeJS.Platform) {
  const version = options.version === false ? null : await versionOf(candidate.path, platform);
  return { path: candidate.path, name: candidate.name, version };
}

async function versionOf(path: string, platform: NodeJS.Platform): Promise<string | null> {
  try {
    if (platform === 'win32') {
      // chrome.exe does not print its version, but is next to a folder with the version as its name.
      const names = await readdir(dirname(path));
      return names.filter((name) => VERSION.test(name)).at(-1) ?? null;
    }
    if (platform === 'darwin') {
      // Without this file, the program is started.
      const plist = await readFile(join(dirname(path), '..', 'Info.plist'), 'utf8').catch(() => '');
      const version = /<key>CFBundleShortVersionString<\/key>\s*<string>([^<]+)</.exec(plist)?.[1];
      if (version !== undefined) return version;
    }
    const { stdout } = await run(path, ['--version'], { timeout: VERSION_LIMIT, killSignal: 'SIGKILL' });
    return /\d+(\.\d+)+/.exec(stdout)?.[0] ?? null;
  } catch {
    // It exists. Whether it works is known when it is started.
    return null;
  }
}

const VERSION = /^\d+(\.\d+){3}$/;

async function onPath(command: string, env: NodeJS.ProcessEnv, platform: NodeJS.Platform): Promise<string | null> {
  for (const folder of (env['PATH'] ?? env['Path'] ?? '').split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    const path = join(folder, command);
    if (await isProgram(path, platform)) return path;
  }
  return null;
}

async function isProgram(path: string, platform: NodeJS.Platform): Promise<boolean> {
  try {
    if (platform !== 'win32') await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    // A missing or not executable candidate is skipped.
    return false;
  }
}
