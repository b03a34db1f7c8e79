import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { FakePlacement } from '../runs/fake-placement.ts';
import { temporaryFolder } from '../runs/tasks.ts';
import { taskwright } from './command-line.ts';

async function folderWith(cwd: string, name: string, id: string): Promise<string> {
  const folder = join(cwd, name);
  await mkdir(folder);
  const task = { id, prompt: 'Do it', gym: 'qa', evaluate: [['response_includes', 'yes']] };
  await writeFile(join(folder, `${id}.task.json`), JSON.stringify(task));
  return folder;
}

async function listed(cwd: string, environment: Record<string, string> = {}): Promise<string[]> {
  const { out } = await taskwright(['list', '--json'], { cwd, environment });
  return (JSON.parse(out) as { id: string }[]).map(({ id }) => id);
}

test('If TASKWRIGHT_TASKS names folders, a command without a path uses the tasks in all of them', async () => {
  const cwd = await temporaryFolder();
  const folders = [await folderWith(cwd, 'one', 'a'), await folderWith(cwd, 'two', 'b')];
  await folderWith(cwd, 'custom_tasks', 'c');

  expect(await listed(cwd, { TASKWRIGHT_TASKS: folders.join(delimiter) })).toEqual(['a', 'b']);
});

test('Otherwise the folder that the RFC defines is used, if it exists', async () => {
  const cwd = await temporaryFolder();
  await folderWith(cwd, 'custom_tasks', 'c');

  expect(await listed(cwd)).toEqual(['c']);
});

test('An unreadable folder is reported', async () => {
  const cwd = await temporaryFolder();
  await symlink('custom_tasks', join(cwd, 'custom_tasks'));

  const { exit, err } = await taskwright(['list'], { cwd });

  expect(exit).toBe(2);
  expect(err).toContain('custom_tasks cannot be read: the symbolic link refers to itself');
});

test('An explicit path takes precedence', async () => {
  const cwd = await temporaryFolder();
  await folderWith(cwd, 'one', 'a');
  await folderWith(cwd, 'custom_tasks', 'c');

  const { out } = await taskwright(['list', 'one', '--json'], { cwd });

  expect(JSON.parse(out)).toMatchObject([{ id: 'a' }]);
});

test('Without these folders, a path is required', async () => {
  const { exit, err } = await taskwright(['run'], { cwd: await temporaryFolder() });

  expect(exit).toBe(2);
  expect(err).toContain('Specify a task (FILE#ID), a task file, or a folder');
});

test('A missing folder of TASKWRIGHT_TASKS is reported', async () => {
  const { exit, err } = await taskwright(['validate'], {
    cwd: await temporaryFolder(),
    environment: { TASKWRIGHT_TASKS: '/nowhere/tasks' },
  });

  expect(exit).toBe(2);
  expect(err).toContain('/nowhere/tasks');
});

test('In a container tasks run locally, unless an option requests otherwise', async () => {
  const cwd = await temporaryFolder();
  const task = {
    id: 'a',
    prompt: 'Do it',
    gym: 'qa',
    evaluate: [['response_is', 'x']],
    metadata: { placement: 'docker' },
  };
  await writeFile(join(cwd, 'a.task.json'), JSON.stringify(task));
  const kinds: string[] = [];
  const placements = { local: new FakePlacement({}, 'local'), docker: new FakePlacement({}, 'docker') };
  const run = async (environment: Record<string, string>, ...more: string[]) => {
    await taskwright(['run', '.', '--agent', 'noop', ...more], { cwd, placements, environment });
    kinds.push(Object.values(placements).find(({ requests }) => requests.length > 0)?.kind ?? 'none');
    for (const { requests } of Object.values(placements)) requests.length = 0;
  };

  await run({});
  await run({ TASKWRIGHT_PLACEMENT: 'local' });
  await run({ TASKWRIGHT_PLACEMENT: 'local' }, '--placement', 'docker');

  expect(kinds).toEqual(['docker', 'local', 'docker']);
});
