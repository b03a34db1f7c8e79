import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileIn, temporaryFolder } from '../runs/tasks.ts';
import { taskwright } from './command-line.ts';

const TASKS = JSON.stringify({
  tasks: ['one', 'two'].map((id) => ({
    id,
    prompt: 'Buy.',
    gym: 'hud-browser',
    evaluate: ['page_contains', 'Thanks'],
  })),
});

interface Said {
  readonly file: string;
  readonly code: string;
  readonly range: unknown;
}

async function validate(cwd: string, ...paths: string[]): Promise<{ exit: number; said: Said[] }> {
  const { exit, out } = await taskwright(['validate', ...paths, '--json'], { cwd });
  return { exit, said: JSON.parse(out) as Said[] };
}

describe('taskwright validate, of solutions', () => {
  it('checks those of the given tasks, as the editor does', async () => {
    const cwd = await temporaryFolder();
    await fileIn(cwd, 'shop.taskset.json', TASKS);
    const one = await fileIn(cwd, 'one.actions', "# buys\nclik('#buy')\n");
    const two = await fileIn(cwd, 'two.actions', "click('#buy'");
    await fileIn(cwd, 'other.actions', "clik('#buy')");
    const all = await validate(cwd, '.');
    expect(all.exit).toBe(2);
    expect(all.said.map(({ file, code }) => [file, code])).toEqual([
      [one, 'unknown-action'],
      [two, 'no-action'],
    ]);
    expect(all.said[0]?.range).toEqual({ start: { line: 1, character: 0 }, end: { line: 1, character: 4 } });
    expect((await validate(cwd, 'shop.taskset.json#two')).said.map(({ file }) => file)).toEqual([two]);
  });

  it('checks an explicit solution without a task', async () => {
    const cwd = await temporaryFolder();
    await mkdir(join(cwd, 'agents'));
    await fileIn(join(cwd, 'agents'), 'odd.actions', "click('#a')\nfill('#a')");
    expect(await validate(cwd, 'agents/odd.actions')).toMatchObject({ exit: 2, said: [{ code: 'invalid-action' }] });
    const { out, err } = await taskwright(['validate', 'agents/odd.actions'], { cwd });
    expect(out).toMatch(/^agents\/odd\.actions:2:1: error: .*\(invalid-action\)$/m);
    expect(err).toContain('0 tasks in 0 files, 1 solution: 1 error, 0 warnings');
  });

  it('reports a missing solution', async () => {
    const cwd = await temporaryFolder();
    const { exit, err } = await taskwright(['validate', 'none.actions'], { cwd });
    expect(exit).toBe(2);
    expect(err).toContain('File or folder not found');
  });
});
