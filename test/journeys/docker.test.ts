import type { Locator } from 'playwright';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { inCi } from '../../scripts/in-ci.ts';
import { root } from '../../scripts/places.ts';
import { findDocker } from '../../src/placement/containers.ts';
import { isLong, itLong } from '../sample.ts';
import { containersOf, filesIn, type HeldBuild, holdBuild, ownerOf, removeImage, stillThere } from './containers.ts';
import { ENDLESS, environments } from './environments.ts';
import { Workbench } from './workbench.ts';

const docker = await findDocker(root);
if (!docker.found && !inCi) process.stdout.write(`Journeys in Docker are skipped: ${docker.message}\n`);

/** The image may have to be built first. */
const FIRST_RUN = 900_000;
/** Chooses where a task runs, as a person does: from its menu in the tree. */
async function runIn(workbench: Workbench, task: string, placement: RegExp): Promise<void> {
  const { page } = workbench;
  if ((await workbench.tasks.count()) === 0) await workbench.showTasks();
  const choice = page.getByRole('option', { name: placement }).first();
  await workbench.selectFromMenu(workbench.task(task), 'Run Task In…', choice, 'Run With');
  await workbench.choose(placement);
}

describe.runIf(docker.found || inCi)('Docker: the same task in a container', () => {
  let workbench: Workbench;
  /** Every container that was seen to be ours. */
  const seen = new Set<string>();
  const look = (): string[] => {
    const now = containersOf(workbench.dataFolder);
    for (const id of now) seen.add(id);
    return now;
  };

  let build: HeldBuild | undefined;

  beforeAll(async () => {
    workbench = await Workbench.open({
      alone: true,
      files: ENDLESS,
      settings: { 'taskwright.run.maskSensitive': true },
    });
    build = await holdBuild(workbench.dataFolder);
  });
  afterAll(async () => {
    await workbench?.[Symbol.asyncDispose]();
    const image = build?.image;
    if (image === undefined) return;
    // The container that was kept ready may hold it a moment longer.
    await vi.waitFor(() => expect(removeImage(image)).toBe(true), { timeout: 120_000, interval: 500 });
  });

  it(
    'one choice: the panel opens and says what is waited for, and a notification how far the image is',
    async () => {
      await runIn(workbench, 'log-in', /Docker/);
      await workbench.panel.getByRole('heading', { name: 'log-in' }).waitFor();
      await workbench.panel.locator('.chip', { hasText: 'docker' }).waitFor();
      await workbench.panel
        .getByText(/Building the image/)
        .first()
        .waitFor();
      const toast = workbench.page.locator('.notification-toast');
      await expect
        .poll(() => toast.allInnerTexts(), { timeout: FIRST_RUN })
        .toContainEqual(expect.stringMatching(/step \d+ of \d+/));
      await workbench.screenshot('docker-building-dark');
    },
    FIRST_RUN,
  );

  it('Cancel works then too, and takes the notification away', async () => {
    await workbench.panel.getByRole('button', { name: 'Stop Run' }).click();
    await workbench.panel.locator('.verdict-badge', { hasText: 'cancelled' }).waitFor();
    await expect.poll(() => workbench.page.locator('.notification-toast').count()).toBe(0);
    expect(look()).toEqual([]);
  });

  itLong(
    'Run again: the picture moves, and the verdict is that of this machine',
    async () => {
      await workbench.panel.getByRole('button', { name: 'Rerun' }).click();
      await build?.release();
      const canvas = workbench.panel.locator('canvas[data-frames]');
      await canvas.waitFor({ state: 'attached', timeout: FIRST_RUN });
      expect(look().length).toBeGreaterThan(0);
      expect(await workbench.verdict()).toBe('1.00');
      await expect.poll(() => workbench.steps.count()).toBe(8);
      const inDocker = await workbench.verdicts.allInnerTexts();
      await workbench.screenshot('docker-done-dark');
      await runIn(workbench, 'log-in', /This Machine/);
      await workbench.panel.locator('.chip', { hasText: 'local' }).waitFor();
      expect(await workbench.verdict()).toBe('1.00');
      expect(await workbench.verdicts.allInnerTexts()).toEqual(inDocker);
      await expect.poll(() => workbench.task('log-in').getAttribute('aria-label')).not.toContain('docker');
      await workbench.command('Focus on Environments View');
      await environments(workbench).filter({ hasText: 'local' }).waitFor();
    },
    FIRST_RUN,
  );

  it(
    'the tree remembers the choice, and the next Run takes it',
    async () => {
      await runIn(workbench, 'say-why-not', /Docker/);
      await build?.release();
      await expect.poll(() => workbench.task('say-why-not').getAttribute('aria-label')).toContain('placement docker');
      await expect.poll(() => workbench.task('tidy-up').getAttribute('aria-label')).not.toContain('docker');
    },
    FIRST_RUN,
  );

  it('the Environments view shows what runs, with what it uses', async () => {
    await workbench.command('Focus on Environments View');
    const busy = environments(workbench).filter({ hasText: 'say-why-not' });
    await busy.waitFor();
    await expect.poll(() => busy.innerText()).toMatch(/\d+:\d\d · \d+ % · \d+ MB · docker/);
    await workbench.screenshot('docker-environments-dark');
  });

  /** Takes an entry of the menu of the run's environment. */
  const take = (entry: string, outcome: Locator): Promise<void> =>
    workbench.selectFromMenu(environments(workbench).filter({ hasText: 'say-why-not' }), entry, outcome);

  itLong('Open Live View shows its run beside the file, Show Environment Log its output', async () => {
    const { page } = workbench;
    await take('Open Live View', workbench.panel.getByRole('heading', { name: 'say-why-not' }));
    await take('Show Environment Log', page.locator('.panel').getByRole('tab', { name: 'Output', selected: true }));
    await expect.poll(() => page.locator('.panel select').first().inputValue()).toBe('Taskwright: Environment');
    await workbench.screenshot('docker-logs-dark');
    await workbench.command('View: Hide Panel');
  });

  itLong('Restart ends the container, and the run goes on anew in another one', async () => {
    const before = look();
    expect(before.length).toBeGreaterThan(0);
    const stopped = workbench.page.getByRole('treeitem', { name: /^run of say-why-not, cancelled/ }).first();
    await take('Restart Environment', stopped);
    // The one that was kept ready takes the run; the one that had it is gone.
    await expect.poll(() => stillThere(before).length).toBeLessThan(before.length);
    await expect.poll(() => look().some((id) => !before.includes(id)), { timeout: 120_000 }).toBe(true);
    await environments(workbench).filter({ hasText: 'say-why-not' }).waitFor();
  });

  itLong('Open Shell is a terminal inside', async () => {
    const { page } = workbench;
    const terminal = page.locator('.terminal-wrapper.active');
    await take('Open Shell', terminal);
    await terminal.click();
    // The terminal draws its text as a picture: what it did is looked for where it did it. What is typed before the shell
    // reads may be lost.
    await expect
      .poll(
        async () => {
          await page.keyboard.type('touch /tmp/typed\n');
          return look().some((id) => filesIn(id, '/tmp').includes('typed'));
        },
        { timeout: 120_000, interval: 1000 },
      )
      .toBe(true);
    await workbench.screenshot('docker-shell-dark');
    await workbench.command('Terminal: Kill the Active Terminal Instance');
  });

  it('Stop ends the run as cancelled and its container', async () => {
    look();
    const busy = environments(workbench).filter({ hasText: 'say-why-not' });
    await workbench.press(busy, 'Stop Environment', workbench.panel.getByText('cancelled').first());
    await expect.poll(() => environments(workbench).filter({ hasText: 'say-why-not' }).count()).toBe(0);
  });

  itLong('Doctor says what there is', async () => {
    await workbench.command('Taskwright: Doctor');
    const page = workbench.page.frameLocator('iframe.webview.ready').last().frameLocator('iframe#active-frame');
    const report = () => page.locator('body').innerText();
    await expect.poll(report).toMatch(/Docker .* at unix:/);
    await expect.poll(report).toMatch(/Node\.js \d+/);
    await workbench.screenshot('docker-doctor-dark');
  });

  it('nothing is left behind when the window is closed', async () => {
    // The one that ran, and the one that is kept ready.
    await expect.poll(() => look() && seen.size).toBeGreaterThan(1);
    await workbench.closeWindow();
    await expect.poll(() => stillThere([...seen])).toEqual([]);
  });
});

describe.runIf(docker.found || inCi)('Docker: an extension host that is killed', () => {
  it('leaves no container', async () => {
    await using workbench = await Workbench.open({
      alone: true,
      files: { ...ENDLESS, '.vscode/settings.json': '{ "taskwright.placement": "docker" }' },
    });
    await workbench.openFile('login/login.taskset.json');
    await workbench.lens('Run').nth(1).click();
    // The setup call and the first action.
    await expect.poll(() => workbench.steps.count(), { timeout: 120_000 }).toBe(2);
    const ours = containersOf(workbench.dataFolder);
    expect(ours.length).toBeGreaterThan(0);
    process.kill(ownerOf(ours[0] ?? ''), 'SIGKILL');
    await expect.poll(() => stillThere(ours)).toEqual([]);
  });
});

describe.runIf(docker.found || inCi)('Docker: where tasks run, chosen for all', () => {
  itLong('is said in the picker, the status bar, the view, and the report', async () => {
    await using workbench = await Workbench.open({ files: ENDLESS });
    const { page } = workbench;
    const busy = environments(workbench).filter({ hasText: 'say-why-not' });
    for (const theme of ['light', ...(isLong ? (['high contrast'] as const) : [])] as const) {
      await workbench.setTheme(theme);
      const name = theme.replace(' ', '-');
      await workbench.showTasks();
      await workbench.command('Taskwright: Choose Where Tasks Run…');
      const choice = page.getByRole('option', { name: /Docker/ }).first();
      await expect.poll(() => choice.innerText()).toMatch(/Docker\D*\d+\.\d+/);
      await workbench.screenshot(`docker-picker-${name}`);
      await workbench.choose(/Docker/);
      if (theme === 'light') {
        await page.locator('.statusbar-item', { hasText: 'Taskwright: Docker' }).waitFor();
        await workbench.openFile('login/login.taskset.json');
        await workbench.lens('Run').nth(1).click();
        // A container may start before the panel has loaded; the messages meanwhile are tested where the image is built.
        const starting = workbench.panel.getByText(/Starting a container|Building the image/).first();
        await starting.or(workbench.steps.first()).first().waitFor({ timeout: FIRST_RUN });
        if (await starting.isVisible()) await workbench.screenshot(`docker-starting-${name}`);
      }
      await workbench.command('Focus on Environments View');
      await expect.poll(() => busy.innerText(), { timeout: FIRST_RUN }).toMatch(/\d+ % · \d+ MB · docker/);
      await workbench.screenshot(`docker-environments-${name}`);
      await workbench.command('Taskwright: Doctor');
      await page
        .frameLocator('iframe.webview.ready')
        .last()
        .frameLocator('iframe#active-frame')
        .getByText(/Node\.js \d+/)
        .waitFor();
      await workbench.screenshot(`docker-doctor-${name}`);
    }
    const ours = containersOf(workbench.dataFolder);
    expect(ours.length).toBeGreaterThan(0);
    await workbench.command('Taskwright: Stop All Environments');
    await expect.poll(() => stillThere(ours)).toEqual([]);
  });
});
