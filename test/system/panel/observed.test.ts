import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import { openenv as openenvKind } from '../../../src/environments/openenv/kind.ts';
import type { PanelRun } from '../../../src/presentation/runs/messages.ts';
import { finished, step } from './runs.ts';
import { openBrowser, Shell, type ShellOptions } from './shell.ts';
import { type ThemeName, themes } from './themes.ts';

const screenshots = join(import.meta.dirname, '..', '..', '..', 'out', 'screenshots');

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
  await mkdir(screenshots, { recursive: true });
});
afterAll(() => browser.close());

const seen = { url: null, title: null, viewport: null, hasText: true } as const;
const run: PanelRun = {
  ...finished,
  runId: 'run-openenv',
  task: 'corridors',
  prompt: 'Walk to the exit of the maze.',
  environment: 'openenv',
  view: openenvKind.view,
  steps: [
    step(0, { ...seen, source: 'system', verb: 'observation' }),
    step(1, { ...seen, source: 'agent', verb: 'object', object: '{"move": "RIGHT"}' }),
  ],
  verdict: { reward: 1, success: true, truncated: false, error: null, subscores: [] },
};
const before = {
  board: ['@..#', '.#..', '...E'],
  numbers: [
    [0, 1],
    [2, 3],
  ],
  messages: [{ role: 'user', content: 'Hello' }],
  message: 'Find the exit.',
  inventory: { keys: 0, items: [{ name: 'lamp', lit: false }] },
  hint: 'Go right.',
  metadata: {},
} satisfies Json;
const after = {
  board: ['.@.#', '.#..', '...E'],
  numbers: [
    [0, 1],
    [2, 4],
  ],
  messages: [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'How can I help?\nI am here.' },
  ],
  message: 'You walk.',
  inventory: { keys: 1, items: [{ name: 'lamp', lit: false }], weight: 3 },
  metadata: {},
} satisfies Json;

async function shown(options: ShellOptions = {}, dataBefore: Json | null = before, data: Json = after): Promise<Shell> {
  const shell = await Shell.open(browser, [], options);
  await shell.send({ type: 'run', run, select: 1, live: false });
  await shell.page.getByRole('tab', { name: 'Observation' }).click();
  await shell.send({ type: 'text', index: 1, text: 'text', before: 'text', data, dataBefore });
  return shell;
}

describe('an observation as data', () => {
  it('is shown as text, chat, boards, and a tree, with the changes since the previous step', async () => {
    const shell = await shown();
    const observed = shell.page.getByRole('group', { name: 'Observation', exact: true });

    const boards = observed.locator('table.board');
    expect(await boards.count()).toBe(2);
    expect(await boards.nth(0).locator('tr').count()).toBe(3);
    expect(await boards.nth(0).locator('td.is-changed').count()).toBe(2);
    expect(await boards.nth(1).locator('td.is-changed').innerText()).toContain('4');
    expect(await observed.locator('.turn').allInnerTexts()).toEqual([
      'user\nHello',
      expect.stringContaining('How can I help?\nI am here.'),
    ]);
    expect(await observed.locator('.turn.is-new').count()).toBe(1);
    expect(await observed.locator('.observed-text').innerText()).toMatch(/You walk\.\s*was Find the exit\./);
    const tree = await observed.locator('.tree').innerText();
    expect(tree).toMatch(/keys:\s+changed:\s+1\s*was 0/);
    expect(tree).toMatch(/weight:\s+added:\s+3/);
    expect(tree).toContain('name: "lamp"');
    expect(await observed.locator('dt').allInnerTexts()).toContain('hintremoved');
    expect(await observed.innerText()).not.toContain('metadata');
    expect(await shell.problems()).toEqual([]);
    await shell.close();
  });

  it('is shown as a tree in parts where a board is too large to draw', async () => {
    const grid = Array.from({ length: 202 }, () => [0, 1, 2]);
    const shell = await shown({}, null, {
      grid,
      small: [
        ['x', null],
        [null, 'o'],
      ],
    });
    const observed = shell.page.getByRole('group', { name: 'Observation', exact: true });
    expect(await observed.locator('table.board').count()).toBe(1);
    expect(await observed.locator('table.board td').allInnerTexts()).toEqual(['x', '·', '·', 'o']);
    expect(await observed.locator('.tree').first().innerText()).toMatch(/0: \[3\]\s[\s\S]*and 2 more/);
    expect(await shell.problems()).toEqual([]);
    await shell.close();
  });

  it('has no marks in the first step', async () => {
    const shell = await shown({}, null);
    expect(await shell.page.locator('.observed :is(.is-changed, .is-added, .is-new)').count()).toBe(0);
    await shell.close();
  });

  it.each(Object.keys(themes) as ThemeName[])('fits into its page in %s, wide and narrow', async (theme) => {
    for (const [name, width, height] of [
      ['', 760, 1000],
      ['-narrow', 360, 900],
    ] as const) {
      const shell = await shown({ theme, width, height });
      await shell.page.screenshot({ path: join(screenshots, `observed-${theme.replaceAll(' ', '-')}${name}.png`) });
      expect(await shell.page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
      expect(await shell.problems()).toEqual([]);
      await shell.close();
    }
  });
});
