import { mkdir, mkdtemp, readdir, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { clearAbandoned, ServerFolder } from '../../../src/server/folder.ts';

it('What servers left whose owners have died is cleared away, and nothing else', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'folders-'));
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
  const kept = [
    living,
    await make('1', null),
    await make('2', JSON.stringify({ ...dead, host: 'elsewhere' }), 3600),
    await make('3', 'no JSON', 3600),
  ];
  const cleared = [await make('4', JSON.stringify(dead)), await make('5', null, 3600)];
  await mkdir(join(parent, 'taskwright-of-somebody'));

  expect((await clearAbandoned(parent)).sort()).toEqual(cleared.map((name) => join(parent, name)));

  expect((await readdir(parent)).sort()).toEqual([...kept, 'taskwright-of-somebody'].sort());
});
