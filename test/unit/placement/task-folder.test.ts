import { chmod, mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { needsLinux } from '../../systems.ts';
import { task, temporaryFolder } from '../runs/tasks.ts';

/** A path that goes just before it is looked at. */
const going = vi.hoisted(() => ({ path: '' }));
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  const first =
    <Look extends (path: never, ...rest: never[]) => Promise<unknown>>(look: Look) =>
    async (...[path, ...rest]: Parameters<Look>) => {
      if (path === going.path) await real.rm(path, { recursive: true });
      return look(path, ...rest);
    };
  return { ...real, readdir: first(real.readdir), readFile: first(real.readFile), stat: first(real.stat) };
});

// Another test file in this process may have loaded the module with the real functions.
vi.resetModules();
const { filesFor, TASK_MOUNT } = await import('../../../src/placement/task-folder.ts');
const { Withheld } = await import('../../../src/environments/withheld.ts');

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder();
  await chmod(folder, 0o755);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

const inFolder = (folder: string) => task({ file: join(folder, 'shop.task.json') });

test('returns the mount point of a folder that all users can read', async () => {
  const folder = await folderWith({ 'shop.task.json': '{}', 'pages/shop.html': '<p>' });

  expect(await filesFor(inFolder(folder), TASK_MOUNT)).toEqual({ folder: TASK_MOUNT, withheld: [] });
});

test.skipIf(needsLinux('folders that a container may not read')).each([
  ['folder', '.'],
  ['file in it', 'pages/shop.html'],
])('Where a container may not read a %s, the files are handed over', async (_what, name) => {
  const folder = await folderWith({ 'shop.task.json': '{}', 'pages/shop.html': '<p>' });
  await chmod(join(folder, name), name === '.' ? 0o700 : 0o600);

  const files = await filesFor(inFolder(folder), TASK_MOUNT);

  expect(Object.keys('contents' in files ? files.contents : {}).sort()).toEqual(['pages/shop.html']);
});

test('sends files with their bytes, without links, dot files, packages, task files, solutions, and agents', async () => {
  const folder = await folderWith({
    'shop.task.json': '{}',
    'a/b/c.html': '<p>ä</p>',
    'shop.functions.ts': 'export const a = 1;',
    'shop.actions': "click('#buy')",
    'buyer.agent.ts': '',
    '.env': 'SECRET=1',
    '.git/config': '',
    'node_modules/x/index.js': '',
  });
  await symlink('/etc/passwd', join(folder, 'passwd.html'));
  await symlink('/etc', join(folder, 'etc'));

  const files = await filesFor(inFolder(folder), null);

  if (!('contents' in files)) throw new Error('no files');
  expect(Object.keys(files.contents).sort()).toEqual(['a/b/c.html', 'shop.functions.ts']);
  expect(Buffer.from(files.contents['a/b/c.html'] ?? []).toString()).toBe('<p>ä</p>');
});

test('rejects a folder that is too large, and names it', async () => {
  const folder = await folderWith({ 'shop.task.json': '{}', 'film.mp4': '' });
  await truncate(join(folder, 'film.mp4'), 201 * 1024 * 1024);

  await expect(filesFor(inFolder(folder), null)).rejects.toMatchObject({
    code: 'folder_too_large',
    message: expect.stringMatching(new RegExp(`${folder} holds more than 200 MB.*--placement local`)),
  });
});

test.each([null, TASK_MOUNT])('A folder that is not there is said, mounted at %s', async (mount) => {
  const folder = join(await temporaryFolder(), 'gone');

  await expect(filesFor(inFolder(folder), mount)).rejects.toMatchObject({
    code: 'folder_unreadable',
    message: expect.stringContaining(folder),
  });
});

test.each([
  ['folder', 'runs/one/screens', null],
  ['file', 'runs/one/run.json.part', null],
  ['folder', 'runs/one/screens', TASK_MOUNT],
  ['file', 'runs/one/run.json.part', TASK_MOUNT],
])('A %s that goes while its folder is read is left out: %s, mounted at %s', async (_what, name, mount) => {
  const folder = await folderWith({
    'shop.task.json': '{}',
    'runs/one/screens/1.png': '',
    'runs/one/run.json.part': '{}',
  });
  going.path = join(folder, name);

  const files = await filesFor(inFolder(folder), mount);

  const kept = name.endsWith('screens') ? 'runs/one/run.json.part' : 'runs/one/screens/1.png';
  if (mount === null) {
    expect(Object.keys('contents' in files ? files.contents : {})).toEqual([kept]);
  } else expect(files).toEqual({ folder: mount, withheld: [] });
});

test('stops reading when the run is cancelled', async () => {
  const folder = await folderWith({ 'shop.task.json': '{}' });

  await expect(filesFor(inFolder(folder), null, AbortSignal.abort(new Error('cancelled')))).rejects.toThrow(
    'cancelled',
  );
});

test('withholds Python files that register tasks from the agent, and sends them to be executed', async () => {
  const folder = await folderWith({
    'shop.task.json': '{}',
    'classes.py': '@register_custom_task("a")\nclass A: pass\n',
    'tasks.py': 'registry.register(task_id="a")\n',
    'plain.py': '',
  });
  const withheld = await Withheld.ofTask(inFolder(folder), { folder });
  const role = (name: string) => withheld.roleOf(join(folder, name));
  expect(['classes.py', 'tasks.py', 'plain.py'].map(role)).toEqual(['module', 'module', null]);

  const files = await filesFor(inFolder(folder), null);
  expect(Object.keys('contents' in files ? files.contents : {}).sort()).toEqual(['classes.py', 'plain.py', 'tasks.py']);
});
