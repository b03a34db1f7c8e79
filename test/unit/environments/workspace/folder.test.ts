import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { filesWithin, readWithin, writeWithin } from '../../../../src/environments/workspace/folder.ts';
import { AgentFault } from '../../../../src/functions/agent-fault.ts';
import { needsPosix } from '../../../systems.ts';

describe.skipIf(needsPosix('files of a task’s folder'))('files of a task’s folder', () => {
  let around: string;
  let folder: string;

  beforeEach(() => {
    around = mkdtempSync(join(tmpdir(), 'taskwright-folder-'));
    folder = join(around, 'work');
    mkdirSync(join(folder, 'src'), { recursive: true });
    writeFileSync(join(around, 'secret'), 'secret');
    writeFileSync(join(folder, 'src', 'a.txt'), 'a');
    symlinkSync(join(around, 'secret'), join(folder, 'out'));
    symlinkSync('src/a.txt', join(folder, 'in'));
    symlinkSync(around, join(folder, 'up'));
    symlinkSync(join(around, 'nothing'), join(folder, 'dangling'));
  });

  afterEach(() => rmSync(around, { recursive: true }));

  const text = async (path: string): Promise<string | null> => {
    const bytes = await readWithin(folder, path);
    return bytes && Buffer.from(bytes).toString('utf8');
  };

  test('a large file is the fault of the agent, unless the reader has a limit of its own', async () => {
    writeFileSync(join(folder, 'large'), '');
    truncateSync(join(folder, 'large'), 11_000_000);
    await expect(readWithin(folder, 'large')).rejects.toThrow(AgentFault);
    expect((await readWithin(folder, 'large', folder, 12_000_000))?.length).toBe(11_000_000);
    const failure = await readWithin(folder, 'large', folder, 1_048_576).catch((error) => error);
    expect(failure).not.toBeInstanceOf(AgentFault);
    expect(String(failure)).toBe('Error: “large” is larger than 1 MB');
  });

  test.each<[string, readonly string[]]>([
    ['src/a.txt', ['src/a.txt']],
    ['in', ['in']],
    ['none.txt', []],
    ['none/*.xml', []],
    ['src', ['src/a.txt', 'src/b/1.xml', 'src/b/c/2.xml', 'src/d[1].xml']],
    ['src/b/', ['src/b/1.xml', 'src/b/c/2.xml']],
    ['**/*.xml', ['src/b/1.xml', 'src/b/c/2.xml', 'src/d[1].xml']],
    ['src/*/*.xml', ['src/b/1.xml']],
    ['src/{b,b/c}/?.xml', ['src/b/1.xml', 'src/b/c/2.xml']],
    ['src/d[1].xml', ['src/d[1].xml']],
    ['.hidden/*.xml', ['.hidden/3.xml']],
    // Links lead neither out nor to a second name.
    ['*', []],
  ])('the files at %j', async (path, files) => {
    mkdirSync(join(folder, 'src/b/c'), { recursive: true });
    mkdirSync(join(folder, 'node_modules/x'), { recursive: true });
    mkdirSync(join(folder, '.hidden'));
    const names = ['src/b/1.xml', 'src/b/c/2.xml', 'src/d[1].xml', 'node_modules/x/3.xml', '.hidden/3.xml'];
    for (const name of names) writeFileSync(join(folder, name), '');
    symlinkSync('b', join(folder, 'src', 'again'));
    expect(await filesWithin(folder, path)).toEqual(files);
  });

  test.each(['../*', '/etc/*.conf', 'up', 'up/*', 'src/../../*'])('no files are listed elsewhere: %j', async (path) => {
    await expect(filesWithin(folder, path)).rejects.toThrow('leads out');
  });

  test('a path within is read, through links within as well', async () => {
    expect(await text('src/a.txt')).toBe('a');
    expect(await text('./src/../src/a.txt')).toBe('a');
    expect(await text(join(folder, 'src/a.txt'))).toBe('a');
    expect(await text('in')).toBe('a');
    expect(await text('src/none.txt')).toBeNull();
    expect(await text('src/a.txt/none')).toBeNull();
  });

  test.each(['../secret', '/etc/passwd', 'src/../../secret', 'out', 'up/secret', 'up/none', 'dangling', '', 'a\0b'])(
    'the path %j is refused for reading and for writing',
    async (path) => {
      await expect(readWithin(folder, path)).rejects.toThrow(/leads (out|nowhere)|a path is needed/);
      await expect(writeWithin(folder, path, 'x')).rejects.toThrow(/leads (out|nowhere)|a path is needed/);
      expect(readFileSync(join(around, 'secret'), 'utf8')).toBe('secret');
    },
  );

  test('folders and files that would block the reader are reported', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    await expect(readWithin(folder, 'src')).rejects.toThrow('“src” is a folder');
    await expect(readWithin(folder, 'pipe')).rejects.toThrow('is not a regular file');
    await expect(writeWithin(folder, 'pipe', 'x')).rejects.toThrow('is not a regular file');
    await expect(writeWithin(folder, 'src', 'x')).rejects.toThrow('is a folder');
  });

  test('the folders that a file needs are made', async () => {
    await writeWithin(folder, 'new/deep/b.txt', 'ä');
    expect(await text('new/deep/b.txt')).toBe('ä');
  });
});
