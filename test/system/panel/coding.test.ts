import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { coding as codingKind } from '../../../src/environments/coding/kind.ts';
import type { PanelRun } from '../../../src/presentation/runs/messages.ts';
import { finished, step } from './runs.ts';
import { openBrowser, Shell, type ShellOptions } from './shell.ts';
import { type ThemeName, themes } from './themes.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
  await mkdir(screenshots, { recursive: true });
});
afterAll(() => browser.close());

const screenshots = join(import.meta.dirname, '..', '..', '..', 'out', 'screenshots');
const page = { url: null, title: null, viewport: null };
const changes = [
  { path: 'cart.js', kind: 'changed', readable: true },
  { path: 'notes/what-was-wrong.md', kind: 'added', readable: true },
  { path: 'old/cart.backup.js', kind: 'removed', readable: true },
  { path: 'logo.png', kind: 'added', readable: false },
  { path: 'run.sh', kind: 'changed', readable: false, note: 'mode 644 → 755' },
  { path: 'latest', kind: 'added', readable: true, note: '→ notes' },
] as const;
const tests = { function: 'tests_pass', text: 'tests_pass("node --test", "report.xml")', line: 14 };

const coding: PanelRun = {
  ...finished,
  runId: 'run-coding',
  task: 'fix-the-total',
  prompt: 'The test of the cart fails. Find the mistake, mend it, and say in one sentence what was wrong.',
  environment: 'coding',
  view: codingKind.view,
  steps: [
    step(0, { ...page, source: 'system', verb: 'observation', hasText: true }),
    step(1, {
      ...page,
      source: 'agent',
      verb: 'run',
      object: '“node --test”',
      hasText: true,
      changes: [],
      outputs: [
        {
          command: 'node --test',
          output: `✔ an empty cart costs nothing (0.4 ms)\n✖ items count as often as they are in the cart (0.9 ms)\n  AssertionError: 300 == 600\n${'long '.repeat(60)}\nℹ tests 3\n`,
          exitCode: 1,
          timedOut: false,
          durationMs: 310,
        },
      ],
    }),
    step(2, { ...page, source: 'agent', verb: 'apply_patch', object: '“--- a/cart.js”', hasText: true, changes }),
    step(3, {
      ...page,
      source: 'evaluate',
      verb: 'tests_pass',
      call: tests,
      value: 2 / 3,
      reason: '2 of 3 tests pass',
      outputs: [{ command: 'node --test', output: '', exitCode: null, timedOut: true, durationMs: 60_000 }],
      parts: [
        { name: 'items count as often as they are in the cart', value: 0, reason: 'Expected 600\n  got 300' },
        { name: 'an empty cart costs nothing', value: 1, reason: 'passes' },
        { name: 'prices are added', value: 1, reason: 'passes' },
      ],
    }),
  ],
  verdict: {
    reward: 2 / 3,
    success: false,
    truncated: false,
    error: null,
    subscores: [{ call: tests, value: 2 / 3, weight: 1, reason: '2 of 3 tests pass', step: 3 }],
  },
};

/** The panel with the run at a step. */
async function showStep(select: number, options: ShellOptions = {}): Promise<Shell> {
  const shell = await Shell.open(browser, [], options);
  await shell.send({ type: 'run', run: coding, select, live: false });
  return shell;
}

describe('the panel of a coding run', () => {
  it('shows the terminal of the step instead of a screenshot', async () => {
    const shell = await showStep(1);
    const terminal = shell.page.getByRole('group', { name: 'Terminal' });
    expect(await terminal.innerText()).toMatch(/^\$ node --test\n[\s\S]*AssertionError: 300 == 600[\s\S]*exit code 1/);
    expect(await shell.page.getByRole('region', { name: 'Screenshot' }).isVisible()).toBe(false);
    expect(await shell.page.getByText('No changed files').isVisible()).toBe(true);
    expect(await shell.page.getByText('on this machine, no sandbox').isVisible()).toBe(true);
    expect(await shell.problems()).toEqual([]);
    await shell.close();
  });

  it.each(Object.keys(themes) as ThemeName[])('keeps the colors of terminal output in %s', async (theme) => {
    const output =
      '\u001b[1m\u001b[31m✖ items\u001b[39m count\u001b[0m\n\u001b]0;title\u0007\u001b[2K\u001b[92m✔ prices\u001b[0m\n';
    const steps = coding.steps.map((one) => {
      return { ...one, outputs: one.outputs.map((command) => ({ ...command, output })) };
    });
    const shell = await Shell.open(browser, [], { theme });
    await shell.send({ type: 'run', run: { ...coding, steps }, select: 1, live: false });
    const terminal = shell.page.locator('.command-output');
    expect(await terminal.textContent()).toBe('✖ items count\n✔ prices');
    const colorOf = (selector: string) => terminal.locator(selector).evaluate((node) => getComputedStyle(node).color);
    expect(await terminal.locator('.ansi-red.ansi-bold').textContent()).toBe('✖ items');
    expect(await terminal.locator('.ansi-green').textContent()).toBe('✔ prices');
    expect(await colorOf('.ansi-green')).not.toBe(await colorOf('.ansi-red'));
    await shell.close();
  });

  it('lists the files changed so far; a click opens the diff', async () => {
    const shell = await showStep(3);
    const files = shell.page.getByRole('list', { name: 'Changed files' });
    const texts = await files.getByRole('listitem').allInnerTexts();
    expect(texts).toHaveLength(6);
    expect(texts.slice(-2).map((text) => text.replace(/\s+/g, ' '))).toEqual([
      'M changed: run.sh mode 644 → 755',
      'A added: latest → notes',
    ]);
    expect(await files.getByRole('button').count()).toBe(4);
    await files.getByRole('button', { name: 'cart.js', exact: true }).click();
    expect((await shell.messages()).at(-1)).toEqual({ type: 'openChange', index: 2, path: 'cart.js' });
    await shell.close();
  });

  it('shows what the task lacks', async () => {
    const warning = 'the agent gets no files of submodules, whose folders are empty: “lib”';
    const shell = await Shell.open(browser, []);
    const verdict = coding.verdict && { ...coding.verdict, warnings: [warning] };
    await shell.send({ type: 'run', run: { ...coding, verdict }, select: 1, live: false });
    expect(await shell.page.getByText(warning).isVisible()).toBe(true);
    await shell.close();
  });

  it('shows the tests of a report, failed ones with their messages', async () => {
    const shell = await showStep(3);
    const list = shell.page.getByRole('list', { name: 'Tests' });
    expect(await list.getByRole('listitem').first().innerText()).toContain('Expected 600');
    expect(await shell.page.getByText('2 of 3 tests pass', { exact: true }).first().isVisible()).toBe(true);
    expect(await shell.page.getByText('timed out').isVisible()).toBe(true);
    await shell.close();
  });

  it.each(Object.keys(themes) as ThemeName[])('fits into its page in %s, wide and narrow', async (theme) => {
    for (const [name, width, height] of [
      ['', 760, 1000],
      ['-narrow', 360, 900],
      ['-wide', 1300, 800],
    ] as const) {
      const shell = await showStep(3, { theme, width, height });
      await shell.page.screenshot({
        path: join(screenshots, `coding-${theme.replaceAll(' ', '-')}${name}.png`),
      });
      expect(await shell.page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
      expect(await shell.problems()).toEqual([]);
      await shell.close();
    }
  });
});
