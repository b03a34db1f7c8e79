import { afterAll, beforeAll, expect, it } from 'vitest';
import { itLong } from '../sample.ts';
import { connect } from '../unit/agents/mcp-client.ts';
import { OTHER_THEMES, type Theme } from './themes.ts';
import { Workbench } from './workbench.ts';

/** A page that changes for as long as it is open, and a run of it that lasts until it is canceled. */
const CLOCK = {
  'clock/clock.html': `<!doctype html><p id=ticks></p>
<script>let count = 0; setInterval(() => { ticks.textContent = String(count += 1); }, 50);</script>`,
  'clock/clock.task.json': JSON.stringify({
    id: 'clock',
    prompt: 'Watch the clock.',
    gym: 'hud-browser',
    setup: ['goto', 'clock.html'],
    evaluate: ['page_contains', '1'],
  }),
  'clock/clock.actions': 'noop(600000)\n',
};

const GREET = {
  id: 'greet',
  prompt: 'Make greet.js say hello.',
  gym: { type: 'coding', files: { 'greet.js': "console.log('bye');\n" } },
  evaluate: [{ function: 'command_output_matches', args: ['node greet.js', '^hello$'] }],
};
const GREETING = [`run("node greet.js")`, `write_file("greet.js", "console.log('hello');\\n")`, `run("node greet.js")`];

let workbench: Workbench;

beforeAll(async () => {
  workbench = await Workbench.open({
    files: {
      ...CLOCK,
      'coding/greet.task.json': JSON.stringify(GREET, null, 2),
      'coding/greet.actions': `${GREETING.join('\n')}\n`,
    },
  });
});
afterAll(() => workbench?.[Symbol.asyncDispose]());

it('Run and watch: Run above the task opens the panel beside the file', async () => {
  await workbench.openFile('login/login.taskset.json');
  await workbench.lens('Run').first().click();
  await workbench.page.getByRole('tab', { name: /^Run: log-in/ }).waitFor();
  await workbench.panel.getByRole('heading', { name: 'log-in' }).waitFor();
  const file = await workbench.page.locator('.editor-instance').first().boundingBox();
  const panel = await workbench.page.locator('iframe.webview.ready').boundingBox();
  expect(panel?.x).toBeGreaterThanOrEqual((file?.x ?? Infinity) + (file?.width ?? 0));
});

it('Run and watch: steps appear, then the verdict with a reason for each call', async () => {
  expect(await workbench.verdict()).toBe('1.00');
  // One setup call, four actions, three evaluate calls.
  await expect.poll(() => workbench.steps.count()).toBe(8);
  await expect.poll(() => workbench.verdicts.count()).toBe(3);
  const said = await workbench.verdicts.allInnerTexts();
  expect(said[0]).toContain('login.html#team');
  expect(said[1]).toContain('session');
  expect(said[2]).toContain('can be read on the page');
});

it('Run and watch: the tree keeps the reward', async () => {
  await workbench.showTasks();
  await expect.poll(() => workbench.task('log-in').getAttribute('aria-label')).toMatch(/1/);
  await workbench.screenshot('run-and-watch-dark');
});

it('Run and watch: the picture moves', async () => {
  await workbench.openFile('clock/clock.task.json');
  await workbench.lens('Run').first().click();
  await workbench.panel.getByRole('heading', { name: 'clock' }).waitFor();
  const canvas = workbench.panel.locator('canvas[data-frames]');
  await expect.poll(async () => Number(await canvas.getAttribute('data-frames'))).toBeGreaterThan(2);
  await workbench.panel.getByRole('button', { name: 'Stop Run' }).click();
  await workbench.panel.locator('.verdict-badge', { hasText: 'cancelled' }).waitFor();
});

it('Run and watch: a task is run from the tree as well', async () => {
  await workbench.runFromTree('copy-paste');
  expect(await workbench.verdict()).toBe('1.00');
});

it('Run and watch: the tree shows the reward of a run that ended while the view was hidden', async () => {
  await expect.poll(() => workbench.task('capital-of-france').getAttribute('aria-label')).toMatch(/not run yet/);
  await workbench.closeEditors();
  await workbench.command('View: Show Explorer');
  await workbench.openFile('capitals/capitals.tasks.jsonl');
  await workbench.lens('Run').first().click();
  await workbench.panel.getByRole('heading', { name: 'capital-of-france' }).waitFor();
  expect(await workbench.verdict()).toBe('1.00');
  await workbench.showTasks();
  await expect
    .poll(() => workbench.task('capital-of-france').getAttribute('aria-label'))
    .toMatch(/passed, reward 1\.00/);
});

itLong('Run and watch: an external agent connects over MCP and solves a task', async () => {
  await workbench.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const outside = workbench.page.getByRole('option', { name: /External Agent/ }).first();
  await workbench.showTasks();
  await workbench.selectFromMenu(workbench.task('log-in'), 'Run Task with Agent…', outside, 'Run With');
  await workbench.choose(/External Agent/);
  const bar = workbench.panel.getByRole('group', { name: 'External agent' });
  await bar.getByText('Connect an agent to this MCP server').waitFor();
  await bar.getByRole('button', { name: 'Copy Configuration' }).click();
  const copied = () => workbench.page.evaluate(() => navigator.clipboard.readText());
  await expect.poll(copied).toContain(await bar.locator('code').innerText());
  await workbench.screenshotInThemes('from-outside');

  const { url, headers } = JSON.parse(await copied()).mcpServers.taskwright;
  const client = await connect({ url, token: headers.Authorization.replace('Bearer ', '') });
  await bar.waitFor({ state: 'hidden' });
  for (const [target, text] of [
    ['#user', 'ada'],
    ['#password', 'lovelace'],
  ]) {
    await client.callTool({ name: 'browser_type', arguments: { target, text } });
  }
  for (const target of ['#remember', 'button']) {
    await client.callTool({ name: 'browser_click', arguments: { target } });
  }
  // The panel shows each step while the agent still decides.
  await expect.poll(() => workbench.steps.count()).toBe(5);
  await client.callTool({ name: 'finish', arguments: {} });
  expect(await workbench.verdict()).toBe('1.00');
});

it.each(OTHER_THEMES)('Run and watch: in the %s theme', async (theme) => {
  await workbench.closeEditors();
  await workbench.setTheme(theme);
  await workbench.openFile('shop/shop.taskset.yaml');
  await workbench.lens('Run').first().click();
  expect(await workbench.verdict()).toBe('1.00');
  await workbench.showTasks();
  await workbench.screenshot(`run-and-watch-${theme.replace(' ', '-')}`);
});

it.each<Theme>(['dark', ...OTHER_THEMES])(
  'Run a coding task: the terminal shows what commands say, a changed file is VS Code’s own difference: %s theme',
  async (theme) => {
    await workbench.closeEditors();
    await workbench.setTheme(theme);
    await workbench.openFile('greet.task.json');
    await workbench.lens('Run').first().click();
    expect(await workbench.verdict()).toBe('1.00');
    const { panel, page } = workbench;
    await panel.getByRole('group', { name: 'Terminal' }).getByText('$ node greet.js').waitFor();
    await panel.getByText('1 changed file').waitFor();
    await panel.getByRole('button', { name: 'greet.js', exact: true }).click();
    const diff = page.locator('.monaco-diff-editor');
    await diff.locator('.editor.original').getByText("'bye'").waitFor();
    await diff.locator('.editor.modified').getByText("'hello'").waitFor();
    await workbench.screenshot(`coding-${theme.replace(' ', '-')}`);
  },
);
