import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compiledFolder, keepCompiled, removeOldCompiled, withCompiled } from '../../../src/server/compiled.ts';
import { temporaryFolder } from '../runs/tasks.ts';

describe('what V8 makes of our programs', () => {
  it("is kept in the person's own folder, as each system has it", () => {
    const now = new Date('2026-03-31T23:59:59Z');
    const ours = join('taskwright', 'compiled', '2026-03');
    expect(compiledFolder({ HOME: '/home/me' }, 'linux', now)).toBe(join('/home/me', '.cache', ours));
    expect(compiledFolder({ HOME: '/home/me', XDG_CACHE_HOME: '/caches' }, 'linux', now)).toBe(join('/caches', ours));
    expect(compiledFolder({ HOME: '/Users/me' }, 'darwin', now)).toBe(join('/Users/me', 'Library', 'Caches', ours));
    expect(compiledFolder({ LOCALAPPDATA: '/local' }, 'win32', now)).toBe(join('/local', ours));
  });

  it('is kept of the file that a program begins with, too, and of nothing that a person’s code starts', () => {
    const env = withCompiled({ HOME: '/home/me', XDG_CACHE_HOME: '/nowhere/caches' });
    expect(env).toMatchObject({ HOME: '/home/me', NODE_COMPILE_CACHE: compiledFolder(env, process.platform) });
    keepCompiled(env);
    expect(env).not.toHaveProperty('NODE_COMPILE_CACHE');
    const own = { ...env, NODE_COMPILE_CACHE: '/nowhere/own' };
    keepCompiled(own);
    expect(own).toHaveProperty('NODE_COMPILE_CACHE', '/nowhere/own');
    const fromLastMonth = {
      ...env,
      NODE_COMPILE_CACHE: compiledFolder(env, process.platform, new Date('2026-02-28T12:00:00Z')),
    };
    keepCompiled(fromLastMonth);
    expect(fromLastMonth).not.toHaveProperty('NODE_COMPILE_CACHE');
  });

  it('is removed when it is of neither this month nor the last', async () => {
    const caches = await temporaryFolder();
    const env = { HOME: caches, XDG_CACHE_HOME: caches };
    const parent = join(caches, 'taskwright', 'compiled');
    const now = new Date('2026-01-15T12:00:00Z');
    await removeOldCompiled(env, 'linux', now);
    for (const name of ['2026-01', '2025-12', '2025-11', 'v24.0.0-x64']) {
      await mkdir(join(parent, name), { recursive: true });
      await writeFile(join(parent, name, 'program'), '');
    }
    await removeOldCompiled(env, 'linux', now);
    expect((await readdir(parent)).sort()).toEqual(['2025-12', '2026-01']);
  });
});
