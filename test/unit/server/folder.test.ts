import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { clearAbandoned, clearFolder, ServerFolder } from '../../../src/server/folder.ts';
import { temporaryFolder } from '../runs/tasks.ts';

it('Folders of servers whose owners have ended are removed, and nothing else', async () => {
  const parent = await temporaryFolder();
  const make = async (digit: string, owner: string | null, secondsOld = 0): Promise<string> => {
    const name = `taskwright-${digit.repeat(12)}`;
    await mkdir(join(parent, name, 'left'), { recursive: true });
    if (owner !== null) await writeFile(join(parent, name, 'owner.json'), owner);
    const then = Date.now() / 1000 - secondsOld;
    await utimes(join(parent, name), then, then);
    return name;
  };
  const dead = { host: hostname(), owner: { pid: 4_194_000, started: '1' }, started: [] };
  const living = `taskwright-${'a'.repeat(12)}`;
  await ServerFolder.create(join(parent, living));
  const keptPaths = [
    living,
    await make('1', null),
    await make('2', JSON.stringify({ ...dead, host: 'elsewhere' }), 3600),
    await make('3', 'no JSON', 3600),
  ];
  const clearedPaths = [await make('4', JSON.stringify(dead)), await make('5', null, 3600)];
  await mkdir(join(parent, 'taskwright-of-somebody'));

  expect((await clearAbandoned(parent)).sort()).toEqual(clearedPaths.map((name) => join(parent, name)));

  expect((await readdir(parent)).sort()).toEqual([...keptPaths, 'taskwright-of-somebody'].sort());
});

it('A folder without an owner, because its creator was killed, is removed at once, and no other', async () => {
  const parent = await temporaryFolder();
  const host = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
  const stage = async (digit: string, suffix: string): Promise<string> => {
    const name = `taskwright-${digit.repeat(12)}-${suffix}`;
    await mkdir(join(parent, name));
    return name;
  };
  const keptPaths = [
    await stage('1', `${host}-${process.pid}`),
    await stage('2', '00000000-4194000'),
    await stage('3', 'x'),
  ];
  const dead = await stage('4', `${host}-4194000`);

  expect(await clearAbandoned(parent)).toEqual([join(parent, dead)]);
  expect((await readdir(parent)).sort()).toEqual(keptPaths.sort());

  // The owner of a server clears its folder in any state.
  const killedStage = await stage('5', `${host}-${process.pid}`);
  await clearFolder(join(parent, `taskwright-${'5'.repeat(12)}`));
  expect(await readdir(parent)).not.toContain(killedStage);
});

it('A folder never has its final name without its owner', async () => {
  const parent = await temporaryFolder();
  const path = join(parent, `taskwright-${'6'.repeat(12)}`);
  await ServerFolder.create(path);
  expect(await readdir(parent)).toEqual([`taskwright-${'6'.repeat(12)}`]);
  expect(JSON.parse(await readFile(join(path, 'owner.json'), 'utf8'))).toMatchObject({ owner: { pid: process.pid } });
});
