import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root } from '../../scripts/places.ts';
import { itLong } from '../sample.ts';
import { ASKS_SUB_AGENT, spansOf } from '../unit/formats/runs/hud/spans.ts';
import { Workbench } from './workbench.ts';

const PASSWORD = 'lovelace';
const SECRET = {
  id: 'secret-log-in',
  prompt: 'Sign in to the team page as ada.',
  gym: 'hud-browser',
  setup: ['goto', 'login.html'],
  evaluate: ['page_contains', 'Welcome back, Ada'],
  sensitive_data: { 'team.example': { password: PASSWORD } },
};

/** As HUD 0.6 names its trace files. */
const TRACE = '0123456789abcdef0123456789abcdef.jsonl';

let workbench: Workbench;

beforeAll(async () => {
  workbench = await Workbench.open({
    files: {
      'login/secret.task.json': JSON.stringify(SECRET, null, 2),
      'login/secret-log-in.actions': `fill('#user', 'ada')\nfill('#password', '${PASSWORD}')\nclick('button')\n`,
      [TRACE]: spansOf(...ASKS_SUB_AGENT),
      'broken.trajectory.json': '{\n  "id": "a",\n  "trajectory": [{ "actions": 7 }]\n}\n',
    },
  });
});
afterAll(() => workbench?.[Symbol.asyncDispose]());

it('Keep a secret: the run panel says what was typed by its name alone', async () => {
  await workbench.openFile('login/secret.task.json');
  await workbench.lens('Run').first().click();
  expect(await workbench.verdict()).toBe('1.00');
  await expect.poll(() => workbench.steps.allInnerTexts().then((texts) => texts.join())).toContain('<secret>password');
  await workbench.steps.nth(2).click();
  await expect.poll(() => workbench.selectedStep.innerText()).toContain('<secret>password');
  await workbench.screenshot('masked');
  expect(await workbench.panel.locator('body').innerText()).not.toContain(PASSWORD);
});

it('Trajectory: a run is exported as HUD’s, from the panel', async () => {
  await workbench.panel.getByRole('heading', { name: 'secret-log-in' }).click();
  await workbench.command('Taskwright: Export as HUD Trajectory');
  const name = workbench.page.locator('.quick-input-widget input[type=text]');
  await expect.poll(() => name.inputValue()).toMatch(/secret-log-in-[0-9a-f]+\.trajectory\.json$/);
  await workbench.answerFile(join(workbench.folder, 'exported.trajectory.json'));
  const read = () => readFile(join(workbench.folder, 'exported.trajectory.json'), 'utf8').catch(() => '');
  await expect.poll(read).not.toBe('');
  const trajectory = JSON.parse(await read());
  expect(trajectory).toMatchObject({ reward: 1, error: null, trajectory: { length: 4 } });
  expect(JSON.stringify(trajectory)).not.toContain(PASSWORD);
});

itLong('Trajectory: opening the file shows the run, with its steps and pictures', async () => {
  await workbench.page.getByRole('button', { name: 'Open', exact: true }).click();
  await workbench.page.getByRole('tab', { name: /^exported\.trajectory\.json/ }).waitFor();
  const shown = workbench.page.frameLocator('iframe.webview.ready').last().frameLocator('iframe#active-frame');
  const steps = shown.getByRole('listbox', { name: 'Steps' }).getByRole('option');
  await expect.poll(() => steps.count()).toBe(5);
  await steps.nth(3).click();
  await expect
    .poll(() =>
      shown
        .locator('figure.shot:not([hidden]) img.shot-picture')
        .first()
        .evaluate((one) => (one as HTMLImageElement).naturalWidth),
    )
    .toBe(1280);
  await workbench.screenshot('trajectory');
});

it('Trajectory: pictures on another machine are fetched only after a person said so', async () => {
  const picture = await readFile(join(root, 'media', 'icon.png'));
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    response.end(picture);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/1.png`;
    const file = join(workbench.folder, 'remote.trajectory.json');
    await writeFile(file, JSON.stringify({ id: 'remote', trajectory: [{ observation_url: url, actions: [] }] }));
    await workbench.command('View: Close All Editors');
    await workbench.command('Taskwright: Import Trajectory');
    const name = workbench.page.locator('.quick-input-widget input[type=text]');
    await expect.poll(() => name.inputValue()).not.toBe('');
    await workbench.answerFile(file);
    const download = workbench.page.getByRole('button', { name: 'Download', exact: true });
    await download.waitFor();
    await workbench.screenshot('trajectory-asks');
    expect(asked).toBe(0);
    await download.click();
    await workbench.panel.getByRole('heading', { name: 'remote' }).waitFor();
    await expect.poll(() => asked).toBe(1);
  } finally {
    server.close();
  }
});

itLong('Trace of HUD 0.6: opening the file shows the run, with its sub-agents as a tree', async () => {
  await workbench.command('View: Close All Editors');
  await workbench.page.keyboard.press('Control+P');
  const name = workbench.page.locator('.quick-input-widget input[type=text]');
  await name.fill(TRACE);
  await workbench.page.getByRole('option', { name: TRACE }).first().waitFor();
  await name.press('Enter');
  const lines = workbench.panel.getByRole('tree', { name: 'Steps' }).getByRole('treeitem');
  await expect.poll(() => lines.count(), { timeout: 120_000 }).toBe(10);
  await lines.first().click();
  await expect
    .poll(() => workbench.panel.locator('body').innerText(), { timeout: 120_000 })
    .toContain('A counter is better.');
  await workbench.screenshotInThemes('hud-trace');
});

itLong('Trajectory: a broken file says what is wrong, and where', async () => {
  await workbench.command('View: Close All Editors');
  await workbench.page.keyboard.press('Control+P');
  const name = workbench.page.locator('.quick-input-widget input[type=text]');
  await name.fill('broken.trajectory.json');
  await workbench.page
    .getByRole('option', { name: /broken\.trajectory/ })
    .first()
    .waitFor();
  await name.press('Enter');
  await expect
    .poll(() => workbench.panel.locator('body').innerText())
    .toMatch(/broken\.trajectory\.json:3:31: "trajectory\.0\.actions": expected a list of actions/);
  await workbench.screenshot('trajectory-broken');
});
