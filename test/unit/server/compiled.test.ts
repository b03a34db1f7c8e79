import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compiledFolder } from '../../../src/server/compiled.ts';

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
});
