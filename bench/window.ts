import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { chromium } from 'playwright';
import { chromiumArguments, findOrInstallBrowser } from '../scripts/browser.ts';
import { root } from '../scripts/places.ts';
import { TEST_SETTINGS } from '../scripts/test-settings.ts';
import { startServer } from '../scripts/vscode-server.ts';
import { installServer } from '../scripts/vscode-server-install.ts';

/**
 * Runs a probe in the extension host of a real VS Code, in one window after another, each with a new host.
 * @param probe file in bench/ that exports `run`, which appends one line of JSON to the file TASKWRIGHT_BENCH_OUT
 * @param folder what the windows have open
 * @returns what the probe measured, one for each window
 */
export async function measureInWindows<Measured>(
  probe: string,
  folder: string,
  windows: number,
): Promise<readonly Measured[]> {
  const say = (text: string): void => console.error(text);
  const location = await findOrInstallBrowser(say);
  const server = await installServer(say);
  const base = await mkdtemp(join(tmpdir(), 'taskwright-bench-'));
  const program = join(base, 'probe', 'index.js');
  const out = join(base, 'out.jsonl');
  await build({
    absWorkingDir: root,
    entryPoints: [join('bench', probe)],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    external: ['vscode'],
  });
  const running = await startServer(server, {
    dataFolder: join(base, 'vscode'),
    smokeTestDriver: true,
    // Typed text is not saved.
    settings: { ...TEST_SETTINGS, 'files.autoSave': 'off' },
    env: { TASKWRIGHT_BENCH_OUT: out },
  });
  const browser = await chromium.launch({ executablePath: location.path, args: chromiumArguments() });
  try {
    const uri = (path: string): string => `vscode-remote://${running.authority}${path}`;
    const payload = JSON.stringify([
      ['extensionDevelopmentPath', uri(root)],
      ['extensionTestsPath', uri(program)],
    ]);
    for (let index = 0; index < windows; index += 1) {
      const page = await browser.newPage();
      const end = Promise.withResolvers<void>();
      const lost = (): void => end.reject(new Error(`The window of ${probe} has gone.`));
      page.once('close', lost).once('crash', lost);
      await page.exposeFunction('codeAutomationExit', () => end.resolve());
      await page.exposeFunction('codeAutomationLog', () => {});
      await Promise.all([end.promise, page.goto(running.address({ folder, payload }))]);
      await page.close();
    }
  } finally {
    await browser.close();
    await running.stop();
  }
  const lines = (await readFile(out, 'utf8')).trim().split('\n');
  await rm(base, { recursive: true, force: true });
  if (lines.length !== windows) throw new Error(`${probe} has measured in ${lines.length} of ${windows} windows.`);
  return lines.map((line) => JSON.parse(line) as Measured);
}
