import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inCi } from '../../scripts/in-ci.ts';
import { root } from '../../scripts/places.ts';
import { findDocker } from '../../src/placement/containers.ts';
import { describeLong } from '../sample.ts';
import { containersOf, stillThere } from './containers.ts';
import { ENDLESS, loads } from './environments.ts';
import { OTHER_THEMES } from './themes.ts';
import { Workbench } from './workbench.ts';

const docker = await findDocker(root);
if (!docker.found && !inCi) process.stdout.write(`Journeys on several hosts are skipped: ${docker.message}\n`);

/** The image may have to be built first. */
const FIRST_RUN = 900_000;
const HOSTS = ['build-1', 'build-2'];
const REPEATS = 4;

/** A folder for `DOCKER_CONFIG` with contexts that all lead to the same daemon, which then counts as several hosts. */
async function contexts(address: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'taskwright-contexts-'));
  for (const Name of HOSTS) {
    const meta = join(folder, 'contexts', 'meta', createHash('sha256').update(Name).digest('hex'));
    await mkdir(meta, { recursive: true });
    await writeFile(join(meta, 'meta.json'), JSON.stringify({ Name, Endpoints: { docker: { Host: address } } }));
  }
  return folder;
}

describeLong('A job on two Docker hosts', { skip: !(docker.found || inCi) }, () => {
  let workbench: Workbench;
  let config = '';
  /** Every container that was seen to be ours. */
  const seen = new Set<string>();
  const look = (): void => {
    for (const id of containersOf(workbench.dataFolder)) seen.add(id);
  };
  const jobPage = () => workbench.pageWith('main.job');
  const chips = async (): Promise<string[]> => (await jobPage()).locator('.chip').allInnerTexts();

  beforeAll(async () => {
    config = await contexts(docker.found ? docker.host : '');
    const settings = { 'taskwright.jobs.concurrency': 4 };
    workbench = await Workbench.open({ alone: true, files: ENDLESS, env: { DOCKER_CONFIG: config }, settings });
  });
  afterAll(async () => {
    await workbench?.[Symbol.asyncDispose]();
    await rm(config, { recursive: true, force: true });
  });

  it('the picker has the hosts with their room, and takes both', async () => {
    const { page } = workbench;
    await workbench.showTasks();
    const roomOf = (host: string) => page.getByRole('option', { name: new RegExp(host) }).innerText();
    for (const theme of [...OTHER_THEMES, 'dark'] as const) {
      await workbench.setTheme(theme);
      await workbench.command('Taskwright: Choose Where Tasks Run…');
      for (const host of HOSTS)
        await expect.poll(() => roomOf(host)).toMatch(/\d CPUs? · .* GB · \d+ containers? running/);
      await workbench.screenshot(`hosts-picker-${theme.replace(' ', '-')}`);
      if (theme !== 'dark') await page.keyboard.press('Escape');
    }
    await workbench.choose(/Several Hosts/);
    for (const host of HOSTS) await page.getByRole('checkbox', { name: new RegExp(`${host}, .* running`) }).click();
    await page.locator('.quick-input-widget').getByText(`${HOSTS.length} Selected`).waitFor();
    await workbench.dismiss(page.locator('.quick-input-widget').getByRole('button', { name: 'OK' }));
    await page.locator('.statusbar-item', { hasText: 'Taskwright: Docker' }).waitFor();
  });

  it(
    'the page of the job shows the progress on each host',
    async () => {
      const { page } = workbench;
      await workbench.openFile('login/login.taskset.json');
      const file = page.getByRole('treeitem', { name: /^login\.taskset\.json|^Team page/ }).first();
      const input = page.locator('.quick-input-widget input[type=text]');
      await workbench.selectFromMenu(file, 'Run as a Job with Options…', page.getByText('Number of runs of each task'));
      await input.fill(String(REPEATS));
      await input.press('Enter');
      await workbench.choose(/^Seeds 0 to 3|^The same/);
      await page.getByRole('option', { name: /Solution/ }).click();
      await (await jobPage()).getByRole('heading', { name: `2 tasks × ${REPEATS}` }).waitFor();
      // One task is done on both hosts; the other waits for as long as anybody looks.
      const shared = HOSTS.map((host) => `${host}: 2 running, 2 ended`);
      await expect.poll(chips, { timeout: FIRST_RUN }).toEqual(expect.arrayContaining(shared));
      look();
      await workbench.screenshotInThemes('hosts-job');
    },
    FIRST_RUN,
  );

  it('the Environments view shows the load of each host', async () => {
    await workbench.command('Focus on Environments View');
    for (const host of HOSTS) {
      const load = loads(workbench).filter({ hasText: host });
      const use = /2 of \d containers in use · \d+ % · [\d.]+ [MG]B$/;
      await expect.poll(() => load.innerText(), { timeout: 120_000 }).toMatch(use);
    }
    await workbench.screenshotInThemes('hosts-environments');
  });

  it('one click on Stop Job ends the runs on both hosts', async () => {
    const job = await jobPage();
    await job.getByRole('button', { name: 'Stop Job' }).click();
    await expect.poll(() => job.locator('.cell.is-cancelled').count()).toBe(REPEATS);
    await expect.poll(chips).toEqual(expect.arrayContaining(HOSTS.map((host) => `${host}: 4 ended`)));
    await workbench.screenshotInThemes('hosts-stopped');
    const jobs = join(workbench.folder, '.taskwright', 'jobs');
    const records = (await readdir(jobs, { recursive: true })).filter((name) => name.endsWith('run.json'));
    const runs = await Promise.all(
      records.map(
        async (name) => JSON.parse(await readFile(join(jobs, name), 'utf8')) as { status: string; host: string },
      ),
    );
    expect(runs.map(({ status, host }) => `${host} ${status}`).sort()).toEqual(
      HOSTS.flatMap((host) =>
        ['cancelled', 'cancelled', 'completed', 'completed'].map((status) => `${host} ${status}`),
      ),
    );
  });

  it('nothing is left behind when the window is closed', async () => {
    look();
    expect(seen.size).toBeGreaterThanOrEqual(2 * 2);
    await workbench.closeWindow();
    await expect.poll(() => stillThere([...seen])).toEqual([]);
  });
});
