import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseAgent } from '../../../src/agents/registry.ts';
import { withheldFiles } from '../../../src/runs/run/withheld-files.ts';
import { fileIn, task, temporaryFolder } from './tasks.ts';

/** What a run of `shop` in this folder withholds with this agent: `role path`, relative to the folder. */
function withheld(folder: string, agent: string, out = 'jobs'): string[] {
  const plan = {
    task: task({ file: join(folder, 'shop.json') }),
    agent,
    seed: 0,
    jobId: 'now',
    groupId: 'g',
    out: join(folder, out),
    cwd: folder,
    taskFiles: [join(folder, 'shop.json'), join(folder, 'more.json')],
  };
  const files = withheldFiles(plan, parseAgent(agent, folder).files);
  return files.map(({ path, role }) => `${role} ${path.slice(folder.length + 1)}`);
}

const ALWAYS = ['task shop.json', 'task more.json', 'solution shop.actions'];

it('withholds the task files of the job, the solution, and the recordings', async () => {
  const folder = await temporaryFolder();
  expect(withheld(folder, 'noop')).toEqual([...ALWAYS, 'trace jobs/now']);
});

it('withholds the file or the run that is replayed, the module, and the files of a command', async () => {
  const folder = await temporaryFolder();
  for (const name of ['steps.txt', 'bot.ts', 'data.json']) await fileIn(folder, name, '');
  await mkdir(join(folder, 'old'));
  expect(withheld(folder, 'replay:steps.txt')).toContain('solution steps.txt');
  expect(withheld(folder, 'replay:old')).toContain('trace old');
  expect(withheld(folder, 'module:bot.ts')).toContain('agent bot.ts');
  const command = withheld(folder, 'process:python -u bot.ts --data data.json .');
  expect(command.filter((one) => one.startsWith('agent'))).toEqual(['agent bot.ts', 'agent data.json']);
});

it('withholds earlier jobs, and nothing else in the folder of jobs', async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'before'));
  await fileIn(folder, 'before/job.json', '{}');
  await mkdir(join(folder, 'pages'));
  const recorded = withheld(folder, 'noop', '.').filter((one) => one.startsWith('trace'));
  expect(recorded).toEqual(['trace now', 'trace before']);
});
