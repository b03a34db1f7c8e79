import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { custom as customKind } from '../../../src/environments/custom/kind.ts';
import type { PanelRun } from '../../../src/presentation/runs/messages.ts';
import { finished, origin, step } from './runs.ts';
import { openBrowser, Shell, type ShellOptions } from './shell.ts';
import { type ThemeName, themes } from './themes.ts';

const screenshots = join(import.meta.dirname, '..', '..', '..', 'out', 'screenshots');
const size = { width: 300, height: 300 };

let browser: Browser;
let pictures: readonly { png: Buffer; jpeg: Buffer }[];
beforeAll(async () => {
  browser = await openBrowser();
  await mkdir(screenshots, { recursive: true });
  const page = await browser.newPage({ viewport: size });
  const tile = (isOn: boolean) => `<i style="background: ${isOn ? '#ffc83d' : '#2f3640'}"></i>`;
  const taken = [];
  for (const on of [0, 5]) {
    await page.setContent(
      `<style>body { margin: 0; display: grid; grid-template: repeat(3, 100px) / repeat(3, 100px); background: #14171b } i { margin: 4px }</style>${Array.from({ length: 9 }, (_, index) => tile(index < on)).join('')}`,
    );
    taken.push({ png: await page.screenshot(), jpeg: await page.screenshot({ type: 'jpeg' }) });
  }
  pictures = taken;
  await page.close();
});
afterAll(() => browser.close());

const pageFacts = { url: null, title: null, viewport: size, hasText: true } as const;
const start = { function: 'board.start', text: 'board.start(["...", "...", "..."])', line: 8 };
const score = { function: 'board.score', text: 'board.score(3, 3)', line: 10 };

/** What a controller of a person's own shows: a small picture, a text, and a verdict with parts. */
const custom: PanelRun = {
  ...finished,
  runId: 'run-custom',
  task: 'lights-corner',
  prompt: 'Turn on the light at the bottom right.',
  environment: 'custom',
  view: customKind.view,
  steps: [
    step(0, { ...pageFacts, source: 'setup', verb: 'board.start', call: start, screenshot: `${origin}/screens/0.png` }),
    step(1, {
      ...pageFacts,
      source: 'agent',
      verb: 'mouse_click',
      object: '250,250',
      screenshot: `${origin}/screens/1.png`,
      acted: [{ action: 'mouse_click(250, 250)', point: { x: 250, y: 250 } }],
    }),
    step(2, {
      ...pageFacts,
      source: 'agent',
      verb: 'custom',
      object: 'pull',
      error: 'the lever is stuck: `step` failed (controller/src/hud_controller/__init__.py:14): RuntimeError: stuck',
      screenshot: `${origin}/screens/1.png`,
    }),
    step(3, {
      ...pageFacts,
      source: 'evaluate',
      verb: 'board.score',
      call: score,
      value: 0.5,
      reason: 'one of two lights is on',
      parts: [
        { name: 'colour', value: 1, reason: '' },
        { name: 'place', value: 0, reason: 'to the left' },
      ],
    }),
  ],
  verdict: {
    reward: 0.5,
    success: false,
    truncated: false,
    error: null,
    subscores: [{ call: score, value: 0.5, weight: 1, reason: 'one of two lights is on', step: 3 }],
  },
  rescorable: false,
};

async function showStep(select: number, options: ShellOptions = {}): Promise<Shell> {
  const shell = await Shell.open(browser, pictures, options);
  await shell.send({ type: 'run', run: custom, select, live: false });
  await shell.answerTexts();
  return shell;
}

describe('the panel of a custom environment', () => {
  it('shows its observation: the screenshot in its original size, and the text', async () => {
    const shell = await showStep(1);
    expect(await shell.page.getByRole('region', { name: 'Screenshot' }).isVisible()).toBe(true);
    const natural = await shell.page
      .locator('img')
      .evaluateAll((all) =>
        all.map((one) => [(one as HTMLImageElement).naturalWidth, one.getBoundingClientRect().height > 50]),
      );
    expect(natural).toContainEqual([300, true]);
    expect((await shell.messages()).map(({ type }) => type)).toContain('text');
    expect(await shell.page.getByText("StaticText 'Voucher applied").first().isVisible()).toBe(true);
    expect(await shell.page.locator('.curve').isVisible()).toBe(false);
    expect(await shell.problems()).toEqual([]);
    await shell.close();
  });

  it('shows where its controller failed, and the subscores', async () => {
    const failed = await showStep(2);
    const error = failed.page.getByRole('definition').filter({ hasText: '__init__.py:14' });
    // Its code is in the line, and in code font.
    expect(await error.innerText()).toMatch(/^the lever is stuck: step failed \(/);
    expect(await error.locator('code').innerText()).toBe('step');
    await failed.close();
    const judged = await showStep(3);
    expect(await judged.page.getByText('one of two lights is on').first().isVisible()).toBe(true);
    const call = judged.page.getByRole('list', { name: 'Evaluate calls' }).getByRole('listitem');
    expect(await call.innerText()).toMatch(/one of two lights is on\s*0(\.00)? place to the left/);
    expect(await call.innerText()).not.toContain('colour');
    expect(await judged.page.getByRole('definition').filter({ hasText: 'colour' }).innerText()).toMatch(
      /^1(\.00)? colour\n0(\.00)? place to the left$/,
    );
    await judged.close();
  });

  it.each(Object.keys(themes) as ThemeName[])('fits into its page in %s, wide and narrow', async (theme) => {
    for (const [name, select, width, height] of [
      ['', 1, 760, 1000],
      ['-failed', 2, 760, 1000],
      ['-judged', 3, 760, 1000],
      ['-judged-narrow', 3, 360, 900],
      ['-narrow', 1, 360, 900],
      ['-wide', 1, 1300, 800],
    ] as const) {
      const shell = await showStep(select, { theme, width, height });
      await shell.page.screenshot({ path: join(screenshots, `custom-${theme.replaceAll(' ', '-')}${name}.png`) });
      expect(await shell.page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
      expect(await shell.problems()).toEqual([]);
      await shell.close();
    }
  });
});
