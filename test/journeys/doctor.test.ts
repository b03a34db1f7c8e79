import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { root } from '../../scripts/places.ts';
import { itLong } from '../sample.ts';
import { Workbench } from './workbench.ts';

let workbench: Workbench;
let folder = '';

/** A folder with a program that stands in for kubectl and a cluster. */
async function standIn(): Promise<string> {
  const bin = await mkdtemp(join(tmpdir(), 'taskwright-kubectl-'));
  const program = join(root, 'test', 'system', 'placement', 'kubectl.mjs');
  await writeFile(join(bin, 'kubectl'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
  await chmod(join(bin, 'kubectl'), 0o755);
  return bin;
}

beforeAll(async () => {
  folder = await standIn();
  // Then VS Code does not replace the PATH by that of a login shell.
  const untouched = { VSCODE_CLI: '1' };
  const env = { ...untouched, PATH: `${folder}${delimiter}${process.env['PATH']}`, STAND_IN_FOLDER: folder };
  workbench = await Workbench.open({ env, height: 1400 });
});
afterAll(async () => {
  await workbench?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const report = () =>
  workbench.page
    .frameLocator('iframe.webview.ready')
    .last()
    .frameLocator('iframe#active-frame')
    .locator('body')
    .innerText();
const KUBERNETES = /✓ Kubernetes \d+\.\d+\S* \(context \S+, namespace \S+\): 2 of 3 nodes ready/;

itLong('The doctor reports what was found of Kubernetes', async () => {
  await workbench.showTasks();
  await workbench.command('Taskwright: Doctor');
  await expect.poll(report).toMatch(KUBERNETES);
  await workbench.screenshotInThemes('doctor');
});

itLong('The page of the doctor is there again after the window was reloaded', async () => {
  await workbench.command('Developer: Reload Window');
  await workbench.page.locator('iframe.webview.ready').waitFor({ state: 'detached' });
  await expect.poll(report, { timeout: 120_000 }).toMatch(KUBERNETES);
  await workbench.screenshot('doctor-reloaded');
});
