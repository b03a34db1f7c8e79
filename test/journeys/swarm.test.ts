import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root } from '../../scripts/places.ts';
import { findDocker } from '../../src/placement/containers.ts';
import { Images } from '../../src/placement/docker/build.ts';
import { connect } from '../../src/placement/docker/connection.ts';
import { OWNER_LABEL } from '../../src/placement/docker/owner.ts';
import { copyImage, startSwarm, type TestSwarm } from '../docker/test-swarm.ts';
import { describeLong, isLong } from '../sample.ts';
import { ENDLESS, loads } from './environments.ts';
import { OTHER_THEMES } from './themes.ts';
import { Workbench } from './workbench.ts';

const docker = await findDocker(root);
/** Only with `npm run test:long`: daemons of its own take their time. */
const started: TestSwarm | null =
  isLong && docker.found
    ? await startSwarm(2).catch((error: Error) => {
        process.stdout.write(`Journeys in a swarm are skipped: ${error.message}\n`);
        return null;
      })
    : null;

const SETTINGS = {
  'taskwright.swarm.lanes': 2,
  'taskwright.docker.cpus': 0.5,
  'taskwright.docker.memory': 1024,
  'taskwright.docker.network': 'none',
};
/** The image is built with what is installed, and copied to the manager. */
const FIRST_RUN = 900_000;

describeLong('A swarm without a registry', { skip: started === null }, () => {
  const swarm = started as TestSwarm;
  let workbench: Workbench;

  beforeAll(async () => {
    const env = { DOCKER_HOST: swarm.address };
    workbench = await Workbench.open({ env, files: ENDLESS, settings: SETTINGS });
    const extensions = join(workbench.dataFolder, 'extensions');
    const name = (await readdir(extensions)).find((entry) => entry.startsWith('taskwright.')) ?? '';
    const tag = await new Images(join(extensions, name)).ensure((await connect()).docker, 'browser', () => {});
    await copyImage(tag, swarm.nodes.slice(0, 1));
  }, FIRST_RUN);
  afterAll(async () => {
    await workbench?.[Symbol.asyncDispose]();
    await started?.end();
  });

  it('the picker says that only the manager runs tasks, and what to do', async () => {
    const { page } = workbench;
    await workbench.showTasks();
    const option = page.getByRole('option', { name: /Docker Swarm/ });
    for (const theme of [...OTHER_THEMES, 'dark'] as const) {
      await workbench.setTheme(theme);
      await workbench.command('Taskwright: Choose Where Tasks Run…');
      await expect.poll(() => option.innerText()).toMatch(/2 of 2 nodes ready[\s\S]*taskwright\.swarm\.registry/);
      await workbench.screenshot(`swarm-picker-${theme.replace(' ', '-')}`);
      if (theme !== 'dark') await page.keyboard.press('Escape');
    }
    await workbench.choose(/Docker Swarm/);
    await page.locator('.statusbar-item', { hasText: 'Taskwright: Docker Swarm' }).waitFor();
  });

  it('a run says it too', async () => {
    await workbench.openFile('login/login.taskset.json');
    await workbench.lens('Run').nth(1).click();
    const warning = workbench.page.locator('.notification-toast', {
      hasText: '1 of 2 nodes of the swarm have no image',
    });
    await warning.getByRole('button', { name: 'Open Settings' }).waitFor();
    await workbench.screenshot('swarm-warning-dark');
    // The setup call and the first action.
    await expect.poll(() => workbench.steps.count(), { timeout: 120_000 }).toBe(2);
  });

  it('the Environments view shows the load of the swarm and of its node', async () => {
    await workbench.command('Notifications: Clear All Notifications');
    await workbench.command('Focus on Environments View');
    const load = (name: string) => loads(workbench).filter({ hasText: name }).innerText();
    await expect.poll(() => load('Docker Swarm')).toMatch(/1 of \d lanes? in use on 1 node$/);
    await expect.poll(() => load('taskwright-swarm-')).toMatch(/1 of \d lanes? in use$/);
    await workbench.screenshotInThemes('swarm-environments');
  });

  it('nothing is left behind when the window is closed', async () => {
    const filters = { label: [OWNER_LABEL] };
    const owned = async (): Promise<unknown[]> => {
      const lists = await Promise.all([
        swarm.docker.listServices({ filters }),
        swarm.docker.listNetworks({ filters }),
        swarm.docker.listContainers({ all: true, filters }),
      ]);
      return lists.flat();
    };
    expect((await owned()).length).toBeGreaterThan(2);
    await workbench.closeWindow();
    await expect.poll(owned, { timeout: 120_000 }).toEqual([]);
  });
});
