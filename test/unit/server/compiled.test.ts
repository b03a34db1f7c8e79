import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compiledFolder, keepCompiled, withCompiled } from '../../../src/server/compiled.ts';

describe('what V8 makes of our programs', () => {
  it("is kept in the person's own folder, as each system has it", () => {
    expect(compiledFolder({ HOME: '/home/me' }, 'linux')).toBe(join('/home/me', '.cache', 'taskwright', 'compiled'));
    expect(compiledFolder({ HOME: '/home/me', XDG_CACHE_HOME: '/caches' }, 'linux')).toBe(
      join('/caches', 'taskwright', 'compiled'),
    );
    expect(compiledFolder({ HOME: '/Users/me' }, 'darwin')).toBe(
      join('/Users/me', 'Library', 'Caches', 'taskwright', 'compiled'),
    );
    expect(compiledFolder({ LOCALAPPDATA: '/local' }, 'win32')).toBe(join('/local', 'taskwright', 'compiled'));
  });

  it('is kept of the file that a program begins with, too, and of nothing that a person’s code starts', () => {
    const env = withCompiled({ HOME: '/home/me', XDG_CACHE_HOME: '/nowhere/caches' });
    expect(env).toMatchObject({ HOME: '/home/me', NODE_COMPILE_CACHE: compiledFolder(env, process.platform) });
    keepCompiled(env);
    expect(env).not.toHaveProperty('NODE_COMPILE_CACHE');
    const own = { ...env, NODE_COMPILE_CACHE: '/nowhere/own' };
    keepCompiled(own);
    expect(own).toHaveProperty('NODE_COMPILE_CACHE', '/nowhere/own');
  });
});
