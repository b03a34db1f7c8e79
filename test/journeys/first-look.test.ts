import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
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
