import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { type LocatedBrowser, locateBrowser } from '../src/environments/browser/launch/locate.ts';
import { root } from './places.ts';

/**
 * Finds a browser for the environments, or installs one: Debian's package as root, else Playwright's own download.
 * Rejects with everything that was tried.
 */
export async function findOrInstallBrowser(say: (text: string) => void): Promise<LocatedBrowser> {
  const first = await locateBrowser();
  if ('found' in first) return first.found;
  const places = [...first.tried];

  const install = async (what: string, ...commands: readonly (readonly [string, ...string[]])[]) => {
    say(`Installing a browser: ${what}...`);
    for (const [program, ...args] of commands) {
      const failure = await run(program, args);
      if (failure !== null) {
        places.push(`${what}: ${failure}`);
        return null;
      }
    }
    const again = await locateBrowser();
    if ('found' in again) return again.found;
    places.push(`${what}: installed, but no browser was found afterwards`);
    return null;
  };

  if (existsSync('/usr/bin/apt-get') && process.getuid?.() === 0) {
    const installation = await install(
      "Debian's chromium",
      ['apt-get', 'update', '-q'],
      ['apt-get', 'install', '-y', '-q', '--no-install-recommends', 'chromium', 'fonts-liberation'],
    );
    if (installation !== null) return installation;
  } else {
    places.push("Debian's chromium: only on Debian, as root");
  }
  const cli = join(root, 'node_modules', 'playwright', 'cli.js');
  const download = await install("Playwright's Chromium", [process.execPath, cli, 'install', 'chromium']);
  if (download !== null) return download;

  throw new Error(
    `No browser was found and none could be installed. Install Chrome, Edge or Chromium, or set TASKWRIGHT_BROWSER to a browser's program. Tried:\n${places.map((line) => `  - ${line}`).join('\n')}`,
  );
}

/** The headless shell if `browser` is a full one, else a full one. Rejects with everything that was tried. */
export async function findOtherBrowser(browser: LocatedBrowser): Promise<LocatedBrowser> {
  const isShell = (name: string): boolean => name === 'Chromium headless shell';
  const { TASKWRIGHT_BROWSER: _, ...env } = process.env;
  const other = await locateBrowser({ env, accepts: (name) => isShell(name) !== isShell(browser.name) });
  if ('found' in other) return other.found;
  throw new Error(`No browser other than ${browser.name} was found. Tried:\n${other.tried.join('\n')}`);
}

/** Null if the program succeeded, else its last output. */
function run(program: string, args: readonly string[]): Promise<string | null> {
  return new Promise((resolve) => {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
    let tail = '';
    const keep = (data: Buffer): void => {
      tail = (tail + data.toString()).slice(-2000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code) => {
      const last = tail.trim().split('\n').at(-1) ?? '';
      resolve(code === 0 ? null : `${program} failed (exit ${code}): ${last}`);
    });
  });
}

/** Arguments for a Chromium that opens a workbench in tests: no services of its own, and root may start it. */
export function chromiumArguments(): string[] {
  const quiet = [
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ];
  return process.getuid?.() === 0 ? ['--no-sandbox', ...quiet] : quiet;
}

/**
 * Arguments for browsers that run the workbench of tests. Most windows are short-lived, so optimizing their scripts takes more
 * processor time than it saves, and so does a process of its own for graphics: up to a quarter of that of a journey. The window
 * of the host suite is `long-lived`: it edits files with thousands of tasks, for which optimized scripts take a quarter less.
 */
export function workbenchArguments(lifetime: 'short-lived' | 'long-lived' = 'short-lived'): string[] {
  const scripts = lifetime === 'short-lived' ? ['--js-flags=--no-turbofan --no-maglev'] : [];
  return [...chromiumArguments(), ...scripts, '--in-process-gpu'];
}

const SPINNERS = '.codicon-modifier-spin, .codicon-tree-item-loading::before, .monaco-progress-container .progress-bit';
/** Of a new language status, and of scroll bars that fade out. */
const BRIEF = '.wiggle, .scrollbar';

/**
 * Stops the animations of each workbench that a page opens, also after the window reloads. VS Code's setting for reduced
 * motion leaves these running, and drawing them costs a quarter of the processor time of journeys.
 */
export async function stopAnimations(page: Page): Promise<void> {
  await page.addInitScript((css) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    document.adoptedStyleSheets.push(sheet);
  }, `${SPINNERS}, ${BRIEF} { animation: none !important; transition: none !important; }`);
}
