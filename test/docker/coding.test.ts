import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../../src/base/json.ts';
import { EMPTY_RANGE } from '../../src/base/range.ts';
import { Images } from '../../src/placement/docker/build.ts';
import type { Task } from '../../src/tasks/task.ts';
import { root } from '../system/programs.ts';
import { task } from '../system/server/harness.ts';
import { daemon, place } from './harness.ts';

beforeAll(async () => {
  await new Images(root).ensure(await daemon(), 'coding', () => {});
});

const coding = (env: Readonly<Record<string, Json>>): Task =>
  task('', { file: join(root, 'examples', 'coding', 'coding.tasks.yaml'), env: { ...env, type: 'coding' } });

/** A coding task in a container of its own. */
async function open(env: Readonly<Record<string, Json>>, metadata: Task['metadata'] = {}) {
  const asked = { ...coding(env), metadata };
  const { server, files } = await place().open(asked);
  const { session } = await server.request('session.open', {});
  const start = await server.request('session.reset', { session, task: asked, files, seed: 0 });
  return {
    start,
    step: (action: string) => server.request('session.step', { session, actions: [action] }),
    evaluate: (name: string, ...args: Json[]) =>
      server.request('session.evaluate', {
        session,
        call: { function: name, args, range: EMPTY_RANGE },
        limit_ms: 60_000,
      }),
  };
}

describe('a coding task in a container', () => {
  test('begins with a folder beside the task, and is judged by pytest’s report', async () => {
    const run = await open({ folder: 'wordcount' });
    expect(run.start.observation.text).toContain('wordcount.py');
    const judged = () => run.evaluate('tests_pass', 'pytest -q --junitxml=report.xml', 'report.xml');
    expect(await judged()).toMatchObject({ value: 0, reason: '0 of 3 tests pass' });
    await run.step(
      String.raw`write_file('wordcount.py', 'from collections import Counter\n\n\ndef count_words(text):\n    return dict(Counter(text.lower().split()))\n')`,
    );
    expect(await judged()).toMatchObject({ value: 1, reason: '3 of 3 tests pass' });
  });

  test('has what tasks call, and neither the machine nor, where that is said, a network', async () => {
    const run = await open({}, { docker: { network: 'none' } });
    const seen = await run.step(
      "run('node --version && npm --version && python --version && git --version && make --version | head -1; id -u; touch /x; ls /root')",
    );
    expect(seen.observation.text).toMatch(
      /\nv24\.\d+\.\d+\n\d+\.\d+\.\d+\nPython 3\.\d+\.\d+\ngit version 2[^\n]*\nGNU Make [^\n]*\n\d{4,}\n[\s\S]*(Read-only file system|Permission denied)[\s\S]*Permission denied/,
    );
    expect(
      (await run.step("run('python3 -c \"import urllib.request as u; u.urlopen(\\'http://1.1.1.1\\', timeout=3)\"')"))
        .observation.text,
    ).toMatch(/unreachable[\s\S]*\[exit code 1\]/);
  });

  test('stays within its limits: a fork bomb is over with its time, and the run goes on', async () => {
    const run = await open({}, { docker: { pids: 200 } });
    // The shell itself forks nothing once the bomb goes off: a fork that fails would end it before its time.
    const bomb = await run.step("run('b() { b | b & }; sleep 100 & (b) & wait', 2)");
    expect(bomb.observation.text).toContain('[timed out after 2 s and was terminated with its child processes]');
    // Ended processes that nobody has waited for still count toward the limit.
    const next = await run.step("run('echo on')");
    expect(next).toMatchObject({ error: null, observation: { text: '$ echo on\non\n[exit code 0]' } });
  });
});
