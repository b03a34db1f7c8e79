import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { RunRecord } from '../../src/runs/store/trace.ts';
import { start } from '../system/cli/program.ts';
import { root } from '../system/programs.ts';
import { builtImage, containersOf, temporaryFolder } from './harness.ts';

beforeAll(builtImage);

/** Runs all examples, and says of each task how it was judged. */
async function verdicts(placement: string): Promise<Record<string, unknown>> {
  const out = await temporaryFolder();
  // Those of MiniWoB++ need its pages, and have no solutions. The environments of OpenEnv run on this machine.
  const folders = (await readdir(join(root, 'examples'), { withFileTypes: true }))
    .filter((entry) => entry.isDirectory() && !/^(\.|miniwob|openenv)/.test(entry.name))
    .map(({ name }) => `examples/${name}`);
  const args = ['run', ...folders, '--placement', placement, '--concurrency', '2', '--json', '--out', out];
  const program = start(args, root);
  const { code, out: json, err } = await program.ended;
  // One of them fails on purpose.
  expect(code, err).toBe(1);
  expect(await containersOf(program.child.pid)).toEqual([]);
  const { runs } = JSON.parse(json) as { runs: readonly { task_id: string; trace_dir: string }[] };
  const judged = runs.map(async ({ task_id, trace_dir }) => {
    const { status, reward, steps, grade } = JSON.parse(
      await readFile(join(trace_dir, 'run.json'), 'utf8'),
    ) as RunRecord;
    const calls = grade.subscores.map(({ name, value, reason }) => ({ name, value, reason }));
    return [task_id, { status, reward, steps, content: grade.content, calls }] as const;
  });
  return Object.fromEntries(await Promise.all(judged));
}

describe('the examples', () => {
  test('are judged in containers as on this machine, for the same reasons, and leave none behind', async () => {
    const here = await verdicts('local');

    expect(Object.keys(here).length).toBeGreaterThan(5);
    expect(await verdicts('docker')).toEqual(here);
  }, 400_000);
});
