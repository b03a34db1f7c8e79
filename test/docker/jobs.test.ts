import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { RunRecord } from '../../src/traces/trace.ts';
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
/** Answers, but not while a certain file is there. Leaves a file when it is asked. */
const AGENT = `import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
export default async function answer(_, { step }) {
  writeFileSync(new URL('asked-' + process.pid, import.meta.url), '');
  while (existsSync(new URL('hold', import.meta.url))) await wait(20);
  return step === 0 ? 'send_msg_to_user("yes")' : null;
}
`;

/** Kills a container, unless it has ended by itself: those for the next runs may be replaced. */
async function kill(container: Docker.Container): Promise<void> {
  await container.kill().catch((error: { statusCode?: number }) => {
    if (error.statusCode !== 404 && error.statusCode !== 409) throw error;
  });
}

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
    // Two runs, and as many containers for the next ones.
    const ready = async (): Promise<void> => {
      expect((await readdir(folder)).filter((name) => name.startsWith('asked-'))).toHaveLength(2);
      expect(await containersOf(program.child.pid)).toHaveLength(4);
    };
    await vi.waitFor(ready, { timeout: 120_000 });

    const docker = await daemon();
    await Promise.all((await containersOf(program.child.pid)).map((id) => kill(docker.getContainer(id))));
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
