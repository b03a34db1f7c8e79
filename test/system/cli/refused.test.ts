import { spawn, spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRun } from '../../../src/traces/store.ts';
import { needsLinux, needsPosix } from '../../systems.ts';
import { temporaryFolder } from '../../unit/runs/tasks.ts';
import { dist } from '../programs.ts';

/** A folder with a question and an agent that only waits, in so many steps. */
async function folderWith(steps: number): Promise<string> {
  const folder = await temporaryFolder();
  const task = { id: 'a', prompt: 'Say yes.', gym: 'qa', evaluate: ['response_is', 'yes'] };
  await writeFile(join(folder, 'q.task.json'), JSON.stringify(task));
  await writeFile(join(folder, 'a.actions'), 'noop(1)\n'.repeat(steps));
  return folder;
}

/** Runs the task with limits of a shell on all processes; what it printed. */
async function runWith(
  limits: string,
  folder: string,
  command = 'run q.task.json --agent replay:a.actions',
): Promise<{ code: number | null; said: string }> {
  return runIn(['sh', '-c', `${limits}; exec "$0" "$1" ${command}`], folder);
}

/** Runs a shell with Node and the command line as its arguments. */
async function runIn([shell = '', ...args]: readonly string[], folder: string) {
  const child = spawn(shell, [...args, process.execPath, join(dist, 'cli.js')], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1' },
  });
  let said = '';
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk;
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      said += chunk;
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, said, out };
}

/** All files below a folder, by their paths. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

/** What holds of every refusal: sentences, and nothing that was written in part. */
async function holds(said: string, folder: string): Promise<void> {
  expect(said).not.toMatch(/\n\s+at |ENOENT|EMFILE|ENFILE|EFBIG|ENOTDIR|ENOSPC|EROFS|Internal error/);
  for (const file of await filesIn(folder)) {
    expect(file).not.toMatch(/\.part$/);
    expect((await readFile(file)).length).toBeGreaterThan(0);
  }
}

describe.skipIf(needsPosix('an error of the operating system is reported in one sentence'))(
  'an error of the operating system is reported in one sentence',
  () => {
    it('if a trace cannot grow: the run has its steps so far, and the trace ends with a complete line', async () => {
      const folder = await folderWith(90);
      const { code, said } = await runWith('trap "" XFSZ; ulimit -f 16', folder);
      expect(code).toBe(1);
      expect(said).toMatch(/error +a +[1-9]\d* steps/);
      expect(said).toMatch(/The run cannot be recorded in .*: the file is too large\. \(trace_unwritable\)/);
      await holds(said, folder);
      const [trace = ''] = (await filesIn(folder)).filter((file) => file.endsWith('trace.jsonl'));
      const run = await openRun(join(trace, '..'));
      expect(run.record.status).toBe('error');
      // The step that could not be written was made all the same.
      expect(run.record.steps).toBe(run.stepCount);
      expect((await run.steps()).length).toBe(run.stepCount);
    });

    it('if the folder of runs is a file', async () => {
      const folder = await folderWith(1);
      await writeFile(join(folder, '.taskwright'), 'mine\n');
      const { code, said } = await runWith(':', folder);
      expect(code).toBe(2);
      expect(said).toBe(`Runs cannot be recorded in ${folder}/.taskwright/jobs: a file is in place of a folder.\n`);
      await holds(said, folder);
    });

    it.each([22, 25, 28, 31, 34, 37])('if a process can open only %i files', async (count) => {
      const folder = await folderWith(3);
      const { code, said } = await runWith(`ulimit -n ${count}`, folder);
      expect(code).not.toBeNull();
      // With fewer it cannot run, and says why; with more it can.
      expect(said).toMatch(/too many open files|the agent gave no response/);
      await holds(said, folder);
    });

    it.each(['list .', 'list . --json', 'validate .', 'rescore results', 'show results'])(
      'if a process can open only few files: %s',
      async (command) => {
        const folder = await folderWith(1);
        await mkdir(join(folder, 'results'));
        let refused = 0;
        for (let count = 20; count < 30; count += 1) {
          const { code, said } = await runWith(`ulimit -n ${count} 2>/dev/null`, folder, command);
          // Node itself needs some.
          if (said === '' || said.includes('node:')) continue;
          expect(said).not.toMatch(/^\[\]|0 tasks/);
          if (said.includes('too many open files')) refused += 1;
          if (said.includes('too many open files')) expect(code).not.toBe(0);
          await holds(said, folder);
        }
        expect(refused).toBeGreaterThan(0);
      },
    );

    it
      .skipIf(needsLinux('a full disk'))
      .each(['list q.task.json', 'validate q.task.json --json', 'run q.task.json --agent noop --json', '--help'])(
      'if its output goes to a full disk: %s',
      async (command) => {
        const folder = await folderWith(1);
        const { code, said } = await runWith(':', folder, `${command} > /dev/full`);
        expect(code).toBe(1);
        expect(said).toMatch(/^(?:.*\n)*The output cannot be written: the disk is full\.\n$/);
        await holds(said, folder);
      },
    );

    it.skipIf(needsLinux('messages that are not read'))('if its messages are not read', async () => {
      const folder = await folderWith(1);
      const { code, said } = await runWith(':', folder, 'list q.task.json nowhere 2> /dev/full');
      expect([code, said]).toEqual([1, '']);
    });
  },
);

/** Whether this user may mount a file system for a process, as a container may not. */
const canMount = spawnSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs none /mnt']).status === 0;
if (!canMount) process.stdout.write('Errors of a disk are skipped: this system lets nobody mount a file system\n');

describe.skipIf(!canMount)('an error of a disk is reported in one sentence', () => {
  /** Runs the task with a small disk in place of a folder. */
  async function runOn(disk: string, options: string, steps = 90) {
    const folder = await folderWith(steps);
    await mkdir(join(folder, 'disk'));
    // The shell that mounts it sees what was written.
    const inside = `${disk}; "$0" "$1" run q.task.json --agent replay:a.actions ${options}; code=$?; find disk -type f -empty -o -name '*.part'; exit $code`;
    return { folder, ...(await runIn(['unshare', '-rm', 'sh', '-c', inside], folder)) };
  }

  it('that is full during a run, with the steps so far', async () => {
    const { code, said, folder } = await runOn('mount -t tmpfs -o size=24k none disk', '--out disk');
    expect(code).toBe(1);
    expect(said).toMatch(/error +a +[1-9]\d* steps/);
    expect(said).toMatch(/The run cannot be recorded in .*: the disk is full\. \(trace_unwritable\)/);
    expect(said).not.toContain('not started');
    await holds(said, folder);
  });

  it.each([
    ['the disk is full', 'mount -t tmpfs -o size=4k none disk; head -c 4096 /dev/zero > disk/x', '--out disk/runs'],
    ['the file system is read-only', 'mount -t tmpfs -o ro none disk', '--out disk/runs/deep'],
  ])('before a run: %s', async (why, disk, options) => {
    const { code, said, folder } = await runOn(disk, options);
    expect(code).toBe(2);
    expect(said).toBe(`Runs cannot be recorded in ${join(folder, options.slice('--out '.length))}: ${why}.\n`);
  });

  it.each([
    ['the disk is full', 'mount -t tmpfs -o size=4k none disk; head -c 4096 /dev/zero > disk/x'],
    ['the file system is read-only', 'mount -t tmpfs -o ro none disk'],
  ])('when writing a report: %s', async (why, disk) => {
    const { code, said, folder } = await runOn(disk, '--junit disk/report.xml', 1);
    expect(code).toBe(2);
    expect(said).toContain(`\nThe report ${folder}/disk/report.xml cannot be written: ${why}.\n`);
    await holds(said, folder);
    expect(said).not.toMatch(/^disk\//m);
    const { code: jsonCode, out } = await runOn(disk, '--json --junit disk/report.xml', 1);
    expect(jsonCode).toBe(2);
    expect(JSON.parse(out)).toMatchObject({ runs: [{ task_id: 'a' }] });
  });
});
