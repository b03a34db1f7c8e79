import { readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root } from '../../scripts/places.ts';
import { HUD_0_4, HUD_0_5 } from '../../scripts/python.ts';
import { describeLong } from '../sample.ts';
import { hudEnvironment } from '../system/python.ts';
import { Workbench } from './workbench.ts';

const servers = join(root, 'test', 'fixtures', 'hud', 'servers');
const hud04 = await hudEnvironment(HUD_0_4);
const hud05 = await hudEnvironment(HUD_0_5);

const scenario = { id: 'count', scenario: 'count-to', args: { target: 2 } };
const counter = {
  prompt: 'Count to 3.',
  mcp_config: {
    local: {
      command: join(HUD_0_4.folder, 'bin', 'python3'),
      args: ['server.py'],
      env: { HUD_TELEMETRY_ENABLED: 'false', PYTHONPATH: join(servers, 'without-data-sets') },
    },
  },
  setup_tool: { name: 'setup', arguments: { start: 1 } },
  integration_test_tool: [{ name: 'act', arguments: { amount: 2 } }],
  evaluate_tool: { name: 'evaluate', arguments: { target: 3 } },
};
const text = (row: object): string => `${JSON.stringify(row, null, 2)}\n`;

/** The environment is started by a virtual environment that the machine reads for the first time. */
const SLOW = { timeout: 120_000 };

describeLong('environments of HUD 0.5 and 0.4', { skip: hud04 === null || hud05 === null }, () => {
  let workbench: Workbench;
  beforeAll(async () => {
    workbench = await Workbench.open({
      files: {
        'scenarios/env.py': await readFile(join(servers, 'env.py'), 'utf8'),
        'scenarios/count.task.json': text({ env: 'counting-things', ...scenario }),
        'scenarios/count.actions': '{"name": "add", "arguments": {"amount": 2}}\nresponse("done")\n',
        'tools/server.py': await readFile(join(servers, 'server.py'), 'utf8'),
        'tools/counter.task.json': text(counter),
      },
    });
    await symlink(hud05 ?? '', join(workbench.folder, 'scenarios', '.venv'));
  });
  afterAll(() => workbench?.[Symbol.asyncDispose]());

  it('a row of HUD 0.5 is checked', async () => {
    await workbench.openFile('scenarios/count.task.json');
    await expect.poll(() => workbench.problems(), SLOW).toEqual({ errors: 1, warnings: 0 });
    const row = { env: { name: 'counting-things' }, ...scenario };
    await writeFile(join(workbench.folder, 'scenarios', 'count.task.json'), text(row));
    await expect.poll(() => workbench.problems(), SLOW).toEqual({ errors: 0, warnings: 0 });
  });

  it('it runs with its env.py, and is graded', async () => {
    await workbench.lens('Run').first().click();
    await expect.poll(() => workbench.verdict(), SLOW).toBe('1.00');
    await workbench.verdicts.filter({ hasText: '2 of 2' }).first().waitFor(SLOW);
    await workbench.screenshotInThemes('hud-scenario');
  });

  it('its tools are called by hand with a form, and a lower grade says which part is missing', async () => {
    await rm(join(workbench.folder, 'scenarios', 'count.actions'));
    await workbench.lens('Run').first().click();
    const form = workbench.panel.getByRole('form', { name: 'Action' });
    await form.getByLabel('amount').waitFor(SLOW);
    await workbench.screenshotInThemes('hud-tool-form');
    await form.getByLabel('amount').fill('2');
    await form.getByRole('button', { name: 'Send Action' }).click();
    await workbench.steps.getByText('add').first().waitFor(SLOW);
    await workbench.panel.locator('.manual-bar').getByText('Answer').click();
    await workbench.page.getByPlaceholder('Enter the answer of the agent').fill('finished');
    await workbench.page.keyboard.press('Enter');
    await workbench.steps.getByText('response').first().waitFor(SLOW);
    await workbench.panel.locator('.manual-bar').getByText('Finish').click();
    await expect.poll(() => workbench.verdict(), SLOW).toBe('0.50');
    await workbench.verdicts.filter({ hasText: '0.00 said' }).first().waitFor(SLOW);
    await workbench.screenshotInThemes('hud-subscores');
  });

  it('a row of HUD 0.4 runs with its server, and its integration test is the solution', async () => {
    await workbench.closeEditors();
    await workbench.openFile('tools/counter.task.json');
    await expect.poll(() => workbench.problems(), SLOW).toEqual({ errors: 0, warnings: 0 });
    await workbench.lens('Run').first().click();
    await workbench.verdicts.filter({ hasText: '3 of 3' }).first().waitFor(SLOW);
    expect(await workbench.verdict()).toBe('1.00');
    await workbench.screenshotInThemes('hud-tools');
  });
});
