import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Guard } from '../../../src/processes/guard.ts';
import { caseCount } from '../../sample.ts';
import { needsLinux } from '../../systems.ts';

const RESTARTS = 40;
const ROUNDS = caseCount(5, 30);
/** A program that replaces itself many times, each time without an environment for a moment, and then waits. */
const RESTARTING = `echo; [ "$1" -lt ${RESTARTS} ] || exec sleep 1000; exec sh -c "$0" "$0" $(($1 + 1))`;

it.skipIf(needsLinux('processes that are starting another program'))(
  'ends processes that are starting another program',
  async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const guard = new Guard('TASKWRIGHT_WORKSPACE');
      const env = { ...process.env, ...guard.mark };
      const child = spawn('sh', ['-c', RESTARTING, RESTARTING, '0'], {
        env,
        detached: true,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const exited = once(child, 'exit');
      await new Promise<void>((resolve) => {
        let restarts = 0;
        child.stdout.on('data', (lines: Buffer) => {
          restarts += lines.length;
          if (restarts >= RESTARTS - 10) resolve();
        });
      });
      await guard.close();
      const left = setTimeout(() => child.kill('SIGTERM'), 2_000);
      expect(await exited).toEqual([null, 'SIGKILL']);
      clearTimeout(left);
    }
  },
  60_000,
);

/** A container engine that refuses twice to remove its only container, as Docker does while it removes it already. */
const ENGINE = `#!/bin/sh
cd "$(dirname "$0")" || exit
echo "$1" >>calls
refused=$(grep -c '^rm$' calls)
case $1 in
  ps) [ "$refused" -ge 3 ] || echo 0123456789ab ;;
  rm) [ "$refused" -ge 3 ] || { echo 'removal of container 0123456789ab is already in progress' >&2; exit 1; } ;;
esac
`;

it.skipIf(process.platform === 'win32')('waits for a container that is already being removed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'taskwright-guard-'));
  onTestFinished(() => rm(folder, { recursive: true, maxRetries: 5 }));
  const command = join(folder, 'engine');
  await writeFile(command, ENGINE);
  await chmod(command, 0o755);
  const guard = new Guard('TASKWRIGHT_WORKSPACE', { command, env: {} });

  await guard.close();

  expect((await readFile(join(folder, 'calls'), 'utf8')).split('\n').slice(0, 7)).toEqual([
    'ps',
    'rm',
    'ps',
    'rm',
    'ps',
    'rm',
    'ps',
  ]);
});
