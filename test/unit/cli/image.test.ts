import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { TaskImage, TaskImageOptions } from '../../../src/placement/docker/docker.ts';
import { ServerError } from '../../../src/placement/placement.ts';
import { temporaryFolder } from '../runs/tasks.ts';
import { taskwright } from './command-line.ts';

const GOOD = { id: 'a', prompt: 'Do it', gym: 'qa', evaluate: [['response_includes', 'yes']] };

async function folderOf(name: string, ...tasks: object[]): Promise<{ cwd: string; folder: string }> {
  const cwd = await temporaryFolder();
  const folder = join(cwd, name);
  await mkdir(folder);
  if (tasks.length > 0) await writeFile(join(folder, 'some.tasks.json'), JSON.stringify(tasks));
  return { cwd, folder };
}

/** A Docker that says what it was asked for. */
function docker() {
  const asked: Omit<TaskImageOptions, 'installed'>[] = [];
  const buildTaskImage = async (options: Omit<TaskImageOptions, 'installed'>): Promise<TaskImage> => {
    asked.push(options);
    return { tag: options.tag, id: 'sha256:1', base: 'taskwright-browser:2', files: 3, bytes: 100 };
  };
  return { asked, buildTaskImage };
}

test.each([
  ['Shop', 'shop-tasks'],
  ['my tasks', 'my-tasks'],
  ['_', 'taskwright-tasks'],
])('The image of the folder “%s” is called %s', async (name, tag) => {
  const { cwd, folder } = await folderOf(name, GOOD);
  const { asked, buildTaskImage } = docker();

  const { exit, out, err } = await taskwright(['image', name], { cwd, buildTaskImage });

  expect(exit).toBe(0);
  expect(asked).toMatchObject([{ folder, tag, solutions: false }]);
  expect(out).toContain(`${tag}  1 task, 3 files`);
  expect(err).toContain(`docker run --rm ${tag} taskwright run`);
});

test('With --json one value is printed; a name and the solutions are passed on', async () => {
  const { cwd } = await folderOf('shop', GOOD);
  const { asked, buildTaskImage } = docker();
  const args = ['image', 'shop', '--tag', 'registry.example:5000/team/shop:1.0', '--with-solutions', '--json'];

  const { exit, out } = await taskwright(args, { cwd, buildTaskImage });

  expect(exit).toBe(0);
  expect(asked).toMatchObject([{ tag: 'registry.example:5000/team/shop:1.0', solutions: true }]);
  expect(JSON.parse(out)).toEqual({
    tag: 'registry.example:5000/team/shop:1.0',
    id: 'sha256:1',
    base: 'taskwright-browser:2',
    tasks: 1,
    files: 3,
    bytes: 100,
  });
});

test('A task that cannot run is included with a warning', async () => {
  const { cwd } = await folderOf('shop', GOOD, { id: 'b', prompt: 'Do it', gym: 'qa', evaluate: [['no_such', 'x']] });

  const { exit, err } = await taskwright(['image', 'shop'], { cwd, buildTaskImage: docker().buildTaskImage });

  expect(exit).toBe(0);
  expect(err).toContain('1 of 2 tasks cannot run');
});

test.each([
  [['image'], 'Specify one folder'],
  [['image', 'shop', 'other'], 'Specify one folder'],
  [['image', 'nowhere'], 'nowhere is not a folder'],
  [['image', 'shop', '--tag', 'Shop Tasks'], '“Shop Tasks” is not a valid image name'],
  [['image', 'shop'], 'No tasks found in shop'],
])('taskwright %j is bad use', async (args, words) => {
  const { cwd } = await folderOf('shop');

  const { exit, err } = await taskwright(args, { cwd });

  expect(exit).toBe(2);
  expect(err).toContain(words);
});

test('An unreadable folder is not reported as missing', async () => {
  const { cwd } = await folderOf('shop', GOOD);
  await symlink('round', join(cwd, 'round'));

  const { exit, err } = await taskwright(['image', 'round'], { cwd });

  expect(exit).toBe(2);
  expect(err).toContain('round cannot be read: the symbolic link refers to itself');
});

test('An error of Docker is reported', async () => {
  const { cwd } = await folderOf('shop', GOOD);
  const buildTaskImage = () => Promise.reject(new ServerError('image_build_failed', 'It failed at step 2.'));

  const { exit, out } = await taskwright(['image', 'shop', '--json'], { cwd, buildTaskImage });

  expect(exit).toBe(1);
  expect(JSON.parse(out)).toEqual({ error: { message: 'It failed at step 2.', code: 'image_build_failed' } });
});
