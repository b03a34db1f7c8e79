import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { outFolder } from '../../../scripts/places.ts';
import type { HostMessage, PanelCurve } from '../../../src/presentation/runs/messages.ts';
import { browser, pictures, shareBrowser } from './opened-panel.ts';
import { finished, running } from './runs.ts';
import { Shell } from './shell.ts';

shareBrowser();

const runMessage = (run = finished): HostMessage => ({ type: 'run', run, select: null, live: false });
const indexes = finished.steps.filter(({ source }) => source !== 'evaluate').map(({ index }) => index);
const curve: PanelCurve = {
  calls: [{ text: 'page_contains("Thank you")' }, { text: 'cart_total(12)' }],
  points: indexes.map((index, at) => ({
    index,
    reward: at === 0 ? null : at < indexes.length - 1 ? 0.5 : 1,
    values: [at < indexes.length - 1 ? 0 : 1, at === 0 ? null : 1],
  })),
  problem: null,
};

it.each(['dark', 'light', 'high contrast'] as const)(
  'the reward at each step is requested, shown, navigated, and announced, in %s',
  async (theme) => {
    const shell = await Shell.open(browser, pictures, { theme });
    await shell.send(runMessage());
    expect(await shell.page.getByRole('slider').count()).toBe(0);
    await shell.page.getByRole('button', { name: 'Reward at Each Step' }).click();
    expect(await shell.messages()).toContainEqual({ type: 'curve' });
    await shell.drawn();
    expect(await shell.page.locator('.curve').innerText()).toContain('Re-scoring each step…');
    await shell.send({ type: 'curve', runId: finished.runId, curve });
    const slider = shell.page.getByRole('slider', { name: 'Reward at each step' });
    expect(await shell.page.locator('.curve-words').innerText()).toBe(
      `Reward undecided, from setup call 2: 0.50, from step 6: 1.00`,
    );
    await slider.focus();
    await shell.page.keyboard.press('Home');
    await shell.page.keyboard.press('ArrowRight');
    await shell.drawn();
    expect(await slider.getAttribute('aria-valuetext')).toBe(
      'setup call 2: reward 0.50; page_contains("Thank you") 0.00, cart_total(12) 1.00',
    );
    expect(await shell.messages()).toContainEqual({ type: 'selected', index: indexes[1] });
    const box = await slider.boundingBox();
    await slider.click({ position: { x: (box?.width ?? 0) - 4, y: 10 } });
    expect(await shell.messages()).toContainEqual({ type: 'selected', index: indexes.at(-1) });
    await shell.drawn();
    await mkdir(join(outFolder, 'screenshots'), { recursive: true });
    await shell.page.screenshot({ path: join(outFolder, 'screenshots', `curve-${theme.replaceAll(' ', '-')}.png`) });
    expect(await shell.problems()).toEqual([]);
    await shell.close();
  },
);

it('a run in progress has none, and one that cannot be re-scored explains why', async () => {
  const shell = await Shell.open(browser, pictures);
  await shell.send(runMessage(running));
  expect(await shell.page.locator('.curve').isVisible()).toBe(false);
  await shell.send(runMessage());
  await shell.page.getByRole('button', { name: 'Reward at Each Step' }).click();
  const problem = 'it needs the page, and the run has no recorded pages';
  await shell.send({ type: 'curve', runId: finished.runId, curve: { calls: [], points: [], problem } });
  expect(await shell.page.locator('.curve').innerText()).toContain(problem);
  await shell.send({ type: 'curve', runId: 'another', curve });
  expect(await shell.page.getByRole('slider').count()).toBe(0);
  await shell.close();
});
