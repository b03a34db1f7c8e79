import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOfCalls as schemaOfMcpCalls } from '../../../src/environments/mcp/tools.ts';
import { openenv as openenvKind } from '../../../src/environments/openenv/kind.ts';
import { schemaOfCalls } from '../../../src/environments/openenv/tools.ts';
import type { PanelRun } from '../../../src/presentation/runs/messages.ts';
import { running, step } from './runs.ts';
import { openBrowser, Shell, type ShellOptions } from './shell.ts';
import { type ThemeName, themes } from './themes.ts';

const screenshots = join(import.meta.dirname, '..', '..', '..', 'out', 'screenshots');

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
  await mkdir(screenshots, { recursive: true });
});
afterAll(() => browser.close());

/** As Pydantic writes the schema of an action. */
const WALK = {
  $defs: { Direction: { enum: ['LEFT', 'RIGHT'], title: 'Direction', type: 'string' } },
  additionalProperties: false,
  properties: {
    metadata: { additionalProperties: true, title: 'Metadata', type: 'object' },
    direction: { $ref: '#/$defs/Direction', description: 'Where to go, not <b>back</b>' },
    steps: { default: 1, maximum: 10, minimum: 1, title: 'Steps', type: 'integer' },
    note: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null, title: 'Note' },
    tags: { items: { type: 'string' }, title: 'Tags', type: 'array' },
    quick: { default: false, title: 'Quick', type: 'boolean' },
  },
  required: ['direction'],
  title: 'Walk',
  type: 'object',
} as const;
const TOOLS = schemaOfCalls([
  {
    name: 'add',
    description: 'Add two numbers.',
    schema: {
      type: 'object',
      properties: { a: { type: 'integer' }, b: { type: 'integer', default: 1 } },
      required: ['a'],
    },
  },
  { name: 'reset_all', description: 'Begin again.', schema: { type: 'object', properties: {} } },
]);

function run(actions: PanelRun['actions']): PanelRun {
  return {
    ...running,
    runId: 'run-form',
    task: 'walk',
    prompt: 'Go to 3.',
    environment: 'openenv',
    view: openenvKind.view,
    agent: 'manual',
    manual: true,
    actions,
    steps: [step(0, { source: 'system', verb: 'observation', url: null, title: null, viewport: null, hasText: true })],
  };
}

async function showForm(actions: PanelRun['actions'], options: ShellOptions = {}): Promise<Shell> {
  const shell = await Shell.open(browser, [], options);
  await shell.send({ type: 'run', run: run(actions), select: null, live: true });
  const data = { x: 0, message: 'Go.' };
  await shell.send({ type: 'text', index: 0, text: 'x: 0', before: null, data, dataBefore: null });
  await shell.page.locator('.action-form [data-path]').first().waitFor();
  return shell;
}

async function sendAction(shell: Shell): Promise<unknown[]> {
  await shell.page.getByRole('button', { name: 'Send Action' }).click();
  return (await shell.messages()).flatMap((message) => (message.type === 'perform' ? [message.action] : []));
}

describe('acting in an environment with a schema', () => {
  it('has a form of its fields, and sends what is filled in', async () => {
    const shell = await showForm(WALK);
    const form = shell.page.getByRole('form', { name: 'Action' });

    expect(await form.getByText('Where to go, not <b>back</b>').isVisible()).toBe(true);
    expect(await form.getByLabel('metadata').count()).toBe(0);
    await form.getByLabel('direction').selectOption('RIGHT');
    expect(await sendAction(shell)).toEqual([{ direction: 'RIGHT', steps: 1, quick: false }]);
    await form.getByLabel('steps').fill('3');
    await form.getByLabel('note').fill('quickly');
    await form.getByRole('button', { name: 'Add item' }).click();
    await form.locator('[data-path="#/tags/0"] input').fill('a');
    expect((await sendAction(shell)).at(-1)).toEqual({
      direction: 'RIGHT',
      steps: 3,
      quick: false,
      note: 'quickly',
      tags: ['a'],
    });
    expect(await shell.problems()).toEqual([]);
    await shell.close();
  });

  it('is saved as a solution after its end, where it has no pictures', async () => {
    const shell = await showForm(WALK);
    const acted = step(1, { source: 'agent', verb: 'walk', url: null, title: null, viewport: null, hasText: true });
    const ended = { ...run(WALK), status: 'completed', steps: [...run(WALK).steps, acted] } as const;
    await shell.send({ type: 'ended', run: ended, select: null });
    // The observation was shown for the form.
    expect(await shell.page.getByRole('tab', { name: 'Step', selected: true }).isVisible()).toBe(true);
    const bar = shell.page.getByRole('group', { name: 'Manual run' });
    await bar.getByRole('button', { name: 'Save as Solution' }).click();
    expect((await shell.messages()).map(({ type }) => type)).toContain('saveSolution');
    expect(await shell.page.locator('.stage').isVisible()).toBe(false);
    expect(await shell.page.getByRole('form', { name: 'Action' }).isVisible()).toBe(false);
    await shell.close();
  });

  it('sends nothing that does not fit, and says at the field why', async () => {
    const shell = await showForm(WALK);
    await shell.page.getByRole('form', { name: 'Action' }).getByLabel('steps').fill('11');

    expect(await sendAction(shell)).toEqual([]);
    expect(await shell.page.getByText('Correct the marked fields first.').isVisible()).toBe(true);
    expect(await shell.page.locator('[data-path="#/steps"] .jedi-messages-slot').innerText()).toContain('10');
    await shell.close();
  });

  it('offers the tools of MCP servers, also with definitions and without arguments', async () => {
    const walk = { type: 'object', properties: { to: { $ref: '#/$defs/To' } }, required: ['to'] };
    const schema = { ...walk, $defs: { To: { enum: ['up', 'down'], type: 'string' } } };
    const look = { type: 'object', properties: { far: { type: 'boolean', default: false } } };
    const shell = await showForm(
      schemaOfMcpCalls([
        { name: 'walk', description: '', schema },
        { name: 'look', description: '', schema: look },
        { name: 'wait', description: '', schema: { type: 'object', properties: {} } },
      ]),
    );
    const form = shell.page.getByRole('form', { name: 'Action' });

    await form.getByLabel('to', { exact: true }).selectOption('down');
    expect(await sendAction(shell)).toEqual([{ name: 'walk', arguments: { to: 'down' } }]);
    await form.getByRole('combobox').first().selectOption({ label: 'look' });
    expect((await sendAction(shell)).at(-1)).toEqual({ name: 'look', arguments: { far: false } });
    await form.getByRole('combobox').first().selectOption({ label: 'wait' });
    expect((await sendAction(shell)).at(-1)).toEqual({ name: 'wait' });
    expect(await shell.problems()).toEqual([]);
    await shell.close();
  });

  it('offers the tools of an environment with the fields of their arguments', async () => {
    const shell = await showForm(TOOLS);
    const form = shell.page.getByRole('form', { name: 'Action' });

    expect(await form.getByRole('combobox').first().locator('option').allInnerTexts()).toEqual([
      'add',
      'reset_all',
      'list_tools',
    ]);
    await form.getByLabel('a', { exact: true }).fill('41');
    expect(await sendAction(shell)).toEqual([{ type: 'call_tool', tool_name: 'add', arguments: { a: 41, b: 1 } }]);
    await form.getByRole('combobox').first().selectOption({ label: 'list_tools' });
    expect((await sendAction(shell)).at(-1)).toEqual({ type: 'list_tools' });
    expect(await shell.problems()).toEqual([]);
    await shell.close();
  });

  it('shows the form when the schema becomes known, and the observation beside it', async () => {
    const shell = await Shell.open(browser, []);
    await shell.send({ type: 'run', run: { ...run(null), steps: [] }, select: null, live: true });
    expect(await shell.page.locator('.action-form').isVisible()).toBe(false);
    await shell.send({ type: 'run', run: run(WALK), select: null, live: true });
    await shell.page.locator('.action-form [data-path]').first().waitFor();
    const tab = shell.page.getByRole('tab', { name: 'Observation' });
    expect(await tab.getAttribute('aria-selected')).toBe('true');
    await shell.page.getByRole('tab', { name: 'Step', exact: true }).click();
    await shell.send({ type: 'run', run: run(WALK), select: null, live: true });
    expect(await tab.getAttribute('aria-selected')).toBe('false');
    await shell.close();
  });

  it('has no form after the end', async () => {
    const shell = await showForm(WALK);
    await shell.send({ type: 'ended', run: { ...run(null), status: 'completed' }, select: 0 });
    expect(await shell.page.locator('.action-form').isVisible()).toBe(false);
    await shell.close();
  });

  it.each(Object.keys(themes) as ThemeName[])('fits into its page in %s, wide and narrow', async (theme) => {
    for (const [name, actions, width, height] of [
      ['', WALK, 760, 1000],
      ['-tools', TOOLS, 760, 1000],
      ['-narrow', WALK, 360, 900],
    ] as const) {
      const shell = await showForm(actions, { theme, width, height });
      await shell.page.screenshot({ path: join(screenshots, `form-${theme.replaceAll(' ', '-')}${name}.png`) });
      expect(await shell.page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
      expect(await shell.problems()).toEqual([]);
      await shell.close();
    }
  });
});
