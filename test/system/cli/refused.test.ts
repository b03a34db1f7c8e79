import { spawn } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRun } from '../../../src/runs/store/store.ts';
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
async function runWith(limits: string, folder: string): Promise<{ code: number | null; said: string }> {
  const line = `${limits}; exec "$0" "$1" run q.task.json --agent replay:a.actions`;
  const child = spawn('sh', ['-c', line, process.execPath, join(dist, 'cli.js')], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1' },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      said += chunk;
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, said };
}

/** All files below a folder, by their paths. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

/** What holds of every refusal: sentences, and nothing that was written in part. */
async function holds(said: string, folder: string): Promise<void> {
  expect(said).not.toMatch(/\n\s+at |ENOENT|EMFILE|EFBIG|ENOTDIR|Internal error/);
  for (const file of await filesIn(folder)) {
    expect(file).not.toMatch(/\.part$/);
    expect((await readFile(file)).length).toBeGreaterThan(0);
  }
}

describe.skipIf(process.platform === 'win32')('what the system refuses is one sentence', () => {
  it('where a trace cannot grow: the run has the steps that it made, and its trace ends with a whole line', async () => {
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

  it('where a file stands in place of the folder of runs', async () => {
    const folder = await folderWith(1);
    await writeFile(join(folder, '.taskwright'), 'mine\n');
    const { code, said } = await runWith(':', folder);
    expect(code).toBe(2);
    expect(said).toBe(`Runs cannot be recorded in ${folder}/.taskwright/jobs: a file is in place of a folder.\n`);
    await holds(said, folder);
  });

  it.each([22, 25, 28, 31, 34, 37])('where a process may open only %i files', async (count) => {
    const folder = await folderWith(3);
    const { code, said } = await runWith(`ulimit -n ${count}`, folder);
    expect(code).not.toBeNull();
    // With fewer it cannot run, and says why; with more it can.
    expect(said).toMatch(/too many open files|the agent gave no response/);
    await holds(said, folder);
  });
});
