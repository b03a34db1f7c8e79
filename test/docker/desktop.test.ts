import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EMPTY_RANGE } from '../../src/base/range.ts';
import type { RunRecord } from '../../src/traces/trace.ts';
import { start } from '../system/cli/program.ts';
import { root } from '../system/programs.ts';
import { task } from '../system/server/harness.ts';
import { containersOf, place, temporaryFolder } from './harness.ts';

/** The image is built where it is missing. */
const LIMIT = 400_000;

test(
  'A desktop task runs in a container, a text in many scripts included, and leaves none behind',
  async () => {
    const out = await temporaryFolder();
    const address = 'examples/desktop/desktop.tasks.yaml#note';
    const program = start(['run', address, '--placement', 'docker', '--json', '--out', out], root);
    const { code, out: json, err } = await program.ended;

    expect(code, err).toBe(0);
    expect(await containersOf(program.child.pid)).toEqual([]);
    const { runs } = JSON.parse(json) as { runs: readonly { trace_dir: string }[] };
    const record = JSON.parse(await readFile(join(runs[0]?.trace_dir ?? '', 'run.json'), 'utf8')) as RunRecord;
    expect(record).toMatchObject({ status: 'completed', reward: 1 });
  },
  LIMIT,
);

test(
  'The browser of a desktop shows a page of the task inside a container',
  async () => {
    const { open } = place();
    const desktop = task('', { env: { type: 'hud-ubuntu' }, initial_state: {} });
    const { server, files, release } = await open(desktop);
    const { session } = await server.request('session.open', {});
    await server.request('session.reset', { session, task: desktop, files, seed: 0 });
    const call = (phase: 'session.setup' | 'session.evaluate', name: string, ...args: string[]) =>
      server.request(phase, { session, call: { function: name, args, range: EMPTY_RANGE }, limit_ms: 120_000 });

    const page = '<title>Inside</title><h1>Hello';
    expect(await call('session.setup', 'write_file', 'page.html', page)).not.toHaveProperty('error');
    expect(await call('session.setup', 'open', 'page.html')).not.toHaveProperty('error');

    await expect
      .poll(async () => call('session.evaluate', 'window_exists', 'Inside'), { timeout: 120_000 })
      .toMatchObject({ value: 1 });
    await release();
  },
  LIMIT,
);
