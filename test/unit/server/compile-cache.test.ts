import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { root } from '../../../scripts/places.ts';
import { cacheFolder, removeOldCaches } from '../../../src/server/compile-cache.ts';
import { temporaryFolder } from '../runs/tasks.ts';

const run = promisify(execFile);
const COMPILED = JSON.stringify(pathToFileURL(join(root, 'src', 'server', 'compile-cache.ts')));

/** A program that does as ours do: what it loads says what it was asked for. */
async function programIn(folder: string, source: string): Promise<(asked?: string) => Promise<string>> {
  const lib = join(folder, 'node_modules', 'playwright-core', 'lib');
  await mkdir(lib, { recursive: true });
  await writeFile(join(lib, 'coreBundle.js'), source);
  const program = join(folder, 'program.mjs');
  const kept = JSON.stringify(join(folder, 'kept'));
  await writeFile(
    program,
    `import { createRequire } from 'node:module';
    import { useCompileCache } from ${COMPILED};
    useCompileCache('test', ${kept});
    createRequire(import.meta.url)('playwright-core/lib/coreBundle.js').say(process.argv[2]);`,
  );
  return async (asked = '') => (await run(process.execPath, ['--no-warnings', program, asked])).stdout.trim();
}

/** Size and time of each file that was kept. */
async function keptIn(folder: string): Promise<readonly { size: number; mtimeNs: bigint; path: string }[]> {
  const paths = (await readdir(join(folder, 'kept'))).sort().map((name) => join(folder, 'kept', name));
  return await Promise.all(
    paths.map(async (path) => {
      const { size, mtimeNs } = await stat(path, { bigint: true });
      return { size: Number(size), mtimeNs, path };
    }),
  );
}

const PROGRAM = `
function used() { return ['this', 'is', 'compiled', 'where', 'it', 'is', 'called'].map((word) => word + '!').join(' '); }
exports.say = (asked) => {
  if (asked === 'import') return import('node:os').then(({ EOL }) => console.log(JSON.stringify(EOL)));
  if (asked === 'where') return console.log(__filename === module.filename && require.resolve('./coreBundle.js') === __filename);
  if (asked === 'use') console.log(used());
  if (asked === 'fail') throw new Error('for a reason');
  if (asked === 'exit') process.exit(0);
};`;

describe('the compiled code of our programs', () => {
  it('is in the cache folder of the user, as each system defines it', () => {
    const now = new Date('2026-03-31T23:59:59Z');
    const ours = join('taskwright', 'compiled', '2026-03');
    expect(cacheFolder({ HOME: '/home/me' }, 'linux', now)).toBe(join('/home/me', '.cache', ours));
    expect(cacheFolder({ HOME: '/home/me', XDG_CACHE_HOME: '/caches' }, 'linux', now)).toBe(join('/caches', ours));
    expect(cacheFolder({ HOME: '/Users/me' }, 'darwin', now)).toBe(join('/Users/me', 'Library', 'Caches', ours));
    expect(cacheFolder({ LOCALAPPDATA: '/local' }, 'win32', now)).toBe(join('/local', ours));
  });

  it('contains what a process used until its end, and is used by the next process', async () => {
    const [plain, used] = [await temporaryFolder(), await temporaryFolder()];
    await (await programIn(plain, PROGRAM))('exit');
    const program = await programIn(used, PROGRAM);
    expect(await program('use')).toBe('this! is! compiled! where! it! is! called!');
    const [first] = await keptIn(used);
    expect(first?.size).toBeGreaterThan((await keptIn(plain))[0]?.size ?? Number.POSITIVE_INFINITY);

    expect(await program('use')).toBe('this! is! compiled! where! it! is! called!');
    expect(await keptIn(used)).toEqual([first]);
  });

  it.each(['cut short', 'changed', 'empty'])('is compiled again if the cache is %s', async (broken) => {
    const folder = await temporaryFolder();
    const program = await programIn(folder, PROGRAM);
    await program('use');
    const [first] = await keptIn(folder);
    if (first === undefined) throw new Error('Nothing was kept.');
    const bytes = await readFile(first.path);
    if (broken === 'changed') {
      bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 0xff, bytes.length >> 1);
      await writeFile(first.path, bytes);
    } else await truncate(first.path, broken === 'empty' ? 0 : bytes.length >> 1);

    expect(await program('use')).toBe('this! is! compiled! where! it! is! called!');
    const [mended, ...more] = await keptIn(folder);
    expect(mended?.mtimeNs).not.toBe(first.mtimeNs);
    expect(more).toEqual([]);
    expect(await program('use')).toBe('this! is! compiled! where! it! is! called!');
    expect(await keptIn(folder)).toEqual([mended]);
  });

  it('applies to the same source only', async () => {
    const folder = await temporaryFolder();
    await (await programIn(folder, PROGRAM))('use');
    const other = await programIn(folder, PROGRAM.replace('this', 'that'));
    expect(await other('use')).toBe('that! is! compiled! where! it! is! called!');
    expect(await keptIn(folder)).toHaveLength(2);
  });

  it('is kept apart for each set of flags of V8, except in an image', async () => {
    const folder = await temporaryFolder();
    await programIn(folder, PROGRAM);
    const use = (flags: readonly string[], env: NodeJS.ProcessEnv = {}) =>
      run(process.execPath, ['--no-warnings', ...flags, join(folder, 'program.mjs'), 'use'], {
        env: { ...process.env, ...env },
      });
    await use([]);
    await use(['--expose-gc']);
    const kept = await keptIn(folder);
    expect(kept).toHaveLength(2);
    await use(['--max-old-space-size=500']);
    await use([], { NODE_OPTIONS: '--expose-gc' });
    await use([]);
    expect(await keptIn(folder)).toEqual(kept);

    await use([], { TASKWRIGHT_COMPILED: folder });
    await use(['--expose-gc'], { TASKWRIGHT_COMPILED: folder });
    expect(await keptIn(folder)).toHaveLength(3);
  });

  it('does not change a program: its path, what it requires and imports, its errors', async () => {
    const folder = await temporaryFolder();
    const program = await programIn(folder, PROGRAM);
    for (const time of ['first', 'second']) {
      expect({ time, said: await program('where') }).toEqual({ time, said: 'true' });
      expect({ time, said: await program('import') }).toEqual({ time, said: JSON.stringify('\n') });
      await expect(program('fail')).rejects.toThrow(/coreBundle\.js:7\b[\s\S]*for a reason/);
    }
  });

  it('hides its own warning and no other', async () => {
    const folder = await temporaryFolder();
    const source = PROGRAM.replace(
      "return import('node:os')",
      "process.emitWarning('heard'); return import('node:os')",
    );
    await programIn(folder, source);
    const { stderr } = await run(process.execPath, [join(folder, 'program.mjs'), 'import']);
    expect(stderr).toContain('heard');
    expect(stderr).not.toContain('vm.');
  });

  it("is not stored for a user's file of that name, or if it cannot be written", async () => {
    const folder = await temporaryFolder();
    const program = await programIn(folder, PROGRAM);
    await writeFile(join(folder, 'kept'), 'no folder');
    expect(await program('use')).toBe('this! is! compiled! where! it! is! called!');

    const person = await temporaryFolder();
    await programIn(person, PROGRAM);
    await cp(join(person, 'node_modules', 'playwright-core', 'lib'), join(person, 'lib'), { recursive: true });
    const source = await readFile(join(person, 'program.mjs'), 'utf8');
    const own = join(person, 'own.mjs');
    await writeFile(own, source.replace('playwright-core/lib', './lib'));
    expect((await run(process.execPath, ['--no-warnings', own, 'use'])).stdout).toContain('compiled!');
    expect(await readdir(person)).not.toContain('kept');
  });

  it('is removed if it is older than the last month', async () => {
    const caches = await temporaryFolder();
    const env = { HOME: caches, XDG_CACHE_HOME: caches };
    const parent = join(caches, 'taskwright', 'compiled');
    const now = new Date('2026-01-15T12:00:00Z');
    await removeOldCaches(env, 'linux', now);
    for (const name of ['2026-01', '2025-12', '2025-11', 'v24.0.0-x64']) {
      await mkdir(join(parent, name), { recursive: true });
      await writeFile(join(parent, name, 'program'), '');
    }
    await removeOldCaches(env, 'linux', now);
    expect((await readdir(parent)).sort()).toEqual(['2025-12', '2026-01']);
  });
});
