import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { chromium } from 'playwright';
import { afterEach, beforeAll, expect, inject, it } from 'vitest';
import { findOrInstallBrowser, stopAnimations, workbenchArguments } from '../../scripts/browser.ts';
import { root } from '../../scripts/places.ts';
import { installServer } from '../../scripts/vscode-server-install.ts';

/** A copy of the repository: `npm start` builds, and other tests use what is built here. */
const copy = join(inject('journeysFolder'), 'repository');
const NOT_COPIED = ['.git', '.vscode-test', 'dist', 'node_modules', 'out', 'test'].map((name) => join(root, name));

beforeAll(async () => {
  await cp(root, copy, { recursive: true, filter: (path) => !NOT_COPIED.includes(path) });
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  // The server that is installed already: <cache>/server-VERSION/node_modules/...
  const { folder } = await installServer(() => {});
  const server = folder.slice(0, folder.indexOf('node_modules') - 1);
  await mkdir(join(copy, '.vscode-test'));
  await symlink(server, join(copy, '.vscode-test', basename(server)));
});

let npm: ChildProcess | undefined;

afterEach(() => {
  // Still running only if the test failed.
  if (npm?.exitCode === null && npm.signalCode === null) npm.kill('SIGTERM');
});

/** Starts as a user does in a terminal, and waits for the address. */
async function start(): Promise<string> {
  // A process group of its own stands for the terminal: Ctrl+C reaches all of it.
  const child = spawn('npm', ['start', '--', '--no-open'], {
    cwd: copy,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  npm = child;
  let output = '';
  return new Promise((resolve, reject) => {
    const read = (data: Buffer): void => {
      output += data.toString();
      const address = /http:\/\/127\.0\.0\.1:\d+\/\S+/.exec(output)?.[0];
      if (address !== undefined) resolve(address);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('close', () => reject(new Error(`npm start ended:\n${output}`)));
  });
}

/** Command lines of every process of the VS Code that `npm start` serves. */
function servers(): string[] {
  const { stdout } = spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line.includes(join(copy, '.vscode-test', 'start')));
}

it('npm start prints an address that opens the examples, the first task one click from running', async () => {
  const address = await start();
  const token = new URL(address).searchParams.get('tkn') ?? '';
  expect(token).toMatch(/^[0-9a-f]{32}$/);
  const withoutToken = await fetch(new URL('/', address));
  expect(withoutToken.status).toBe(403);

  const browser = await chromium.launch({
    executablePath: (await findOrInstallBrowser(() => {})).path,
    args: workbenchArguments(),
  });
  try {
    const page = await browser.newPage({ reducedMotion: 'reduce' });
    await stopAnimations(page);
    page.setDefaultTimeout(60_000);
    await page.goto(address);
    await page.getByRole('tab', { name: /^login\.taskset\.json/ }).waitFor();
    await page.locator('.codelens-decoration a', { hasText: 'Run' }).first().waitFor();
  } finally {
    await browser.close();
  }

  expect(servers()).not.toEqual([]);
  process.kill(-(npm?.pid ?? 0), 'SIGINT');
  if (npm !== undefined) await once(npm, 'close');
  expect(servers()).toEqual([]);
  await expect(fetch(address)).rejects.toThrow();
});

it('npm start ends with npm, however that is told to end', async () => {
  // Nobody opens the address, so there is no need to build again.
  await writeFile(join(copy, 'scripts', 'build.mjs'), '');
  await start();
  npm?.kill('SIGTERM');
  await expect.poll(servers).toEqual([]);
});
