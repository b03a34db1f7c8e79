import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { chromium } from 'playwright';
import { chromiumArguments, findOrInstallBrowser } from '../scripts/browser.ts';

import { root } from '../scripts/places.ts';
import { TEST_SETTINGS } from '../scripts/test-settings.ts';
import { startServer } from '../scripts/vscode-server.ts';
import { installServer } from '../scripts/vscode-server-install.ts';
import { type Figure, median } from './figures.ts';

const LIMIT_MS = 50;
const WINDOWS = 7;

/** Loading the extension's code and calling `activate`, in the extension host of a real VS Code; a new host for every sample. */
export async function activation(): Promise<readonly Figure[]> {
  const say = (text: string): void => console.error(text);
  const located = await findOrInstallBrowser(say);
  const server = await installServer(say);
  const base = await mkdtemp(join(tmpdir(), 'taskwright-bench-'));
  const probe = join(base, 'probe', 'index.js');
  const out = join(base, 'out.jsonl');
  const folder = join(base, 'empty');
  await mkdir(folder);
  await build({
    absWorkingDir: root,
    entryPoints: ['bench/activation-probe.ts'],
    outfile: probe,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    external: ['vscode'],
  });
  const running = await startServer(server, {
    dataFolder: join(base, 'vscode'),
    smokeTestDriver: true,
    settings: TEST_SETTINGS,
    env: { TASKWRIGHT_BENCH_OUT: out },
  });
  const browser = await chromium.launch({ executablePath: located.path, args: chromiumArguments() });
  try {
    const uri = (path: string): string => `vscode-remote://${running.authority}${path}`;
    const payload = JSON.stringify([
      ['extensionDevelopmentPath', uri(root)],
      ['extensionTestsPath', uri(probe)],
    ]);
    for (let index = 0; index < WINDOWS; index += 1) {
      const page = await browser.newPage();
      const ended = new Promise<void>((resolve) => void page.exposeFunction('codeAutomationExit', () => resolve()));
      await page.exposeFunction('codeAutomationLog', () => {});
      await page.goto(running.address({ folder, payload }));
      await ended;
      await page.close();
    }
  } finally {
    await browser.close();
    await running.stop();
  }
  const lines = (await readFile(out, 'utf8')).trim().split('\n');
  const samples = lines.map((line) => JSON.parse(line) as { load: number; call: number; playwright: boolean });
  await rm(base, { recursive: true, force: true });
  if (samples.some((sample) => sample.playwright)) throw new Error('Activation has loaded Playwright.');
  // The first window fills the caches of a new server, as the first start after an update does.
  const ours = median(samples.slice(1).map((sample) => sample.load + sample.call));
  return [
    {
      name: 'activation of the extension',
      against: 'the limit',
      ours,
      theirs: LIMIT_MS,
      unit: 'ms',
      ratio: ours / LIMIT_MS,
      aim: { atMost: 1 },
    },
  ];
}
