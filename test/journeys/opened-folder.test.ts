import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { itLong } from '../sample.ts';
import { Workbench } from './workbench.ts';

const typo = `{
  "id": "typo",
  "prompt": "Say yes.",
  "gym": "qa",
  "evaluate": { "function": "response_iz", "args": ["yes"] }
}
`;

/** A file of own functions that would tell if anybody executed it. */
const tattletale = `import { writeFileSync } from 'node:fs';
writeFileSync(new URL('./executed', import.meta.url), '');
export const was_it_run = 1;
`;

let workbench: Workbench;

beforeAll(async () => {
  workbench = await Workbench.open({
    files: { 'mine/typo.task.json': typo, 'mine/tattle.functions.ts': tattletale },
  });
});
afterAll(() => workbench?.[Symbol.asyncDispose]());

it('First look: open a folder, and the tree shows every task', async () => {
  await workbench.showTasks();
  await expect.poll(() => workbench.tasks.count()).toBe(11);
  for (const name of ['log-in', 'pay-by-invoice', 'copy-paste', 'two-rivers', 'tidy-up', 'forgot-the-terms', 'typo']) {
    await workbench.task(name).waitFor();
  }
  await workbench.screenshot('first-look');
});

it('First look: the problems count is right', async () => {
  await expect.poll(() => workbench.problems()).toEqual({ errors: 1, warnings: 0 });
});

it('First look: nothing was executed', async () => {
  expect(existsSync(join(workbench.folder, 'mine', 'executed'))).toBe(false);
  expect(await workbench.filesIn('.')).not.toContain('.taskwright');
});

/** Types a command into the terminal and waits for its exit code. */
async function inTerminal(command: string, name: string): Promise<number> {
  await workbench.page.keyboard.type(`${command}; echo $? > ${name}.code`);
  await workbench.page.keyboard.press('Enter');
  const code = () => readFile(join(workbench.folder, `${name}.code`), 'utf8').catch(() => '');
  await expect.poll(async () => (await code()).trim(), { timeout: 120_000, interval: 200 }).toMatch(/^\d+$/);
  return Number(await code());
}

const output = async (name: string) => JSON.parse(await readFile(join(workbench.folder, name), 'utf8'));

it('CI: the terminal finds taskwright, and validate says what the editor says', async () => {
  await workbench.openFile('mine/typo.task.json');
  await workbench.command('View: Toggle Problems');
  const problem = workbench.page.getByRole('treeitem', { name: /response_iz/ }).first();
  const said = (await problem.getAttribute('aria-label')) ?? '';
  await workbench.command('Terminal: Create New Terminal');
  await workbench.page.locator('.terminal-wrapper.active .xterm-screen').waitFor();
  await workbench.page.locator('.terminal-wrapper.active .xterm-screen').click();
  expect(await inTerminal('taskwright validate . --json > findings.json', 'validate')).toBe(2);
  const findings = await output('findings.json');
  expect(findings).toHaveLength(1);
  expect(said).toContain(findings[0].message);
});

itLong('CI: run gives the same rewards and reasons as the editor, and a report for the CI', async () => {
  const address = 'newsletter/newsletter.task.json#forgot-the-terms login/login.taskset.json#log-in';
  const code = await inTerminal(`taskwright run ${address} --json --junit report.xml > runs.json`, 'run');
  expect(code).toBe(1);
  const { runs } = await output('runs.json');
  expect(runs.map((run: { reward: number }) => run.reward)).toEqual([0.25, 1]);
  const record = JSON.parse(await readFile(join(runs[0].trace_dir, 'run.json'), 'utf8'));
  const reasons: string[] = record.grade.subscores.map(({ reason }: { reason: string }) => reason);

  await workbench.openFile('newsletter/newsletter.task.json');
  await workbench.lens('Run').first().click();
  expect(await workbench.verdict()).toBe('0.25');
  const shown = (await workbench.verdicts.allInnerTexts()).join('\n');
  // The panel shows code in code font instead of between backticks.
  for (const reason of reasons) expect(shown).toContain(reason.replaceAll('`', ''));

  const report = await readFile(join(workbench.folder, 'report.xml'), 'utf8');
  expect(report).toMatch(/<testsuites[^>]* tests="2"/);
  expect(report).toMatch(/<failure/);
});

itLong('CI: a mended task set passes', async () => {
  await writeFile(join(workbench.folder, 'mine', 'typo.task.json'), typo.replace('response_iz', 'response_is'));
  await workbench.page.locator('.terminal-wrapper.active .xterm-screen').click();
  expect(await inTerminal('taskwright validate . && taskwright run capitals --junit good.xml', 'mended')).toBe(0);
});
