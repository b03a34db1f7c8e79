import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { afterEach, expect, it } from 'vitest';
import { chromiumArguments, findOrInstallBrowser } from '../../scripts/browser.ts';
import { cacheFolder, root } from '../../scripts/places.ts';

let npm: ChildProcess | undefined;

afterEach(() => {
  // Only where a test failed: else it has ended.
  if (npm?.exitCode === null && npm.signalCode === null) npm.kill('SIGTERM');
});

/** Starts as a person does in a terminal, and waits for the address. */
async function start(): Promise<string> {
  // A group of its own stands for the terminal: Ctrl+C reaches all of it.
  const child = spawn('npm', ['start', '--', '--no-open'], {
    cwd: root,
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

/** Command lines of every process that belongs to the VS Code which `npm start` serves. */
function servers(): string[] {
  const { stdout } = spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line.includes(join(cacheFolder, 'start')));
}

it('npm start prints an address that opens the examples, the first task one click from running', async () => {
  const address = await start();
  const token = new URL(address).searchParams.get('tkn') ?? '';
  expect(token).toMatch(/^[0-9a-f]{32}$/);
  const withoutToken = await fetch(new URL('/', address));
  expect(withoutToken.status).toBe(403);

  const browser = await chromium.launch({
    executablePath: (await findOrInstallBrowser(() => {})).path,
    args: chromiumArguments(),
  });
  try {
    const page = await browser.newPage();
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
  await start();
  npm?.kill('SIGTERM');
  await expect.poll(servers).toEqual([]);
});
