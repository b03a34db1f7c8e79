import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { RunRecord } from '../../src/traces/trace.ts';
import { itLong } from '../sample.ts';
import { start } from '../system/cli/program.ts';
import { root } from '../system/programs.ts';
import { builtImage, containersOf, temporaryFolder } from './harness.ts';

beforeAll(builtImage);

/** A page, files, and a controller; a task of the page fails on purpose. */
const THREE_KINDS = ['newsletter', 'coding', 'lights'];

/** Names of all examples but those of MiniWoB++, which have no solutions, and of OpenEnv, which run on this machine. */
async function allExamples(): Promise<string[]> {
  return (await readdir(join(root, 'examples'), { withFileTypes: true }))
    .filter((entry) => entry.isDirectory() && !/^(\.|miniwob|openenv)/.test(entry.name))
    .map(({ name }) => name);
}

/** Runs examples, and says of each task how it was judged. */
async function verdicts(placement: string, examples: readonly string[]): Promise<Record<string, unknown>> {
  const out = await temporaryFolder();
  const folders = examples.map((name) => `examples/${name}`);
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
  test('of three kinds are judged in containers as on this machine, for the same reasons, and leave none behind', async () => {
    const here = await verdicts('local', THREE_KINDS);

    expect(Object.keys(here).length).toBeGreaterThan(5);
    expect(await verdicts('docker', THREE_KINDS)).toEqual(here);
  }, 300_000);

  itLong(
    'of all kinds are judged in containers as on this machine, for the same reasons',
    async () => {
      const examples = await allExamples();
      const here = await verdicts('local', examples);

      expect(Object.keys(here).length).toBeGreaterThan(15);
      expect(await verdicts('docker', examples)).toEqual(here);
    },
    400_000,
  );
});
