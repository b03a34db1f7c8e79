import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { RunRecord } from '../../src/runs/store/trace.ts';
import { start } from '../system/cli/program.ts';
import { builtImage, containersOf, daemon, temporaryFolder } from './harness.ts';

beforeAll(builtImage);

const TASKS = ['one', 'two'].map((id) => ({
  id,
  prompt: 'Say yes.',
  gym: 'hud-browser',
  setup: ['goto', 'page.html'],
  evaluate: ['response_includes', 'yes'],
}));
/** Answers, but not while a certain file is there. */
const AGENT = `import { existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
export default async function answer(_, { step }) {
  while (existsSync(new URL('hold', import.meta.url))) await wait(20);
  return step === 0 ? 'send_msg_to_user("yes")' : null;
}
`;

describe('a job in containers', () => {
  test('makes the runs again whose container died, and leaves none behind', async () => {
    const folder = await temporaryFolder();
    const hold = join(folder, 'hold');
    const files = {
      'tasks.json': JSON.stringify(TASKS),
      'page.html': '<p>Hello</p>',
      'slow.agent.mjs': AGENT,
      hold: '',
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const args = ['run', 'tasks.json', '--group', '2', '--concurrency', '2', '--agent', 'module:slow.agent.mjs'];
    const program = start([...args, '--placement', 'docker', '--json', '--out', 'runs', '--verbose'], folder);
    await vi.waitFor(async () => expect(await containersOf(program.child.pid)).toHaveLength(4), { timeout: 120_000 });

    const docker = await daemon();
    for (const id of await containersOf(program.child.pid)) await docker.getContainer(id).kill();
    await rm(hold);

    const { code, out, err } = await program.ended;
    expect(code, err).toBe(0);
    const runs = (JSON.parse(out) as { runs: readonly { trace_dir: string }[] }).runs.map(
      async ({ trace_dir }) => JSON.parse(await readFile(join(trace_dir, 'run.json'), 'utf8')) as RunRecord,
    );
    const records = await Promise.all(runs);
    expect(records.map(({ task_id, reward }) => [task_id, reward])).toEqual([
      ['one', 1],
      ['one', 1],
      ['two', 1],
      ['two', 1],
    ]);
    const retried = records.flatMap(({ retried }) => retried ?? []);
    expect(retried.map(({ code }) => code)).toEqual(['container_died', 'container_died']);
    expect(await containersOf(program.child.pid)).toEqual([]);
  });
});
