import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { Reaper } from '../../../src/environments/workspace/reaper.ts';
import { needsLinux } from '../../systems.ts';

const RESTARTS = 40;
/** A program that replaces itself many times, each time without an environment for a moment, and then waits. */
const RESTARTING = `echo; [ "$1" -lt ${RESTARTS} ] || exec sleep 1000; exec sh -c "$0" "$0" $(($1 + 1))`;

it.skipIf(needsLinux('processes that are starting another program'))(
  'ends processes that are starting another program',
  async () => {
    for (let round = 0; round < 30; round += 1) {
      const reaper = new Reaper(randomUUID());
      const env = { ...process.env, ...reaper.mark };
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
      await reaper.close();
      const left = setTimeout(() => child.kill('SIGTERM'), 2_000);
      expect(await exited).toEqual([null, 'SIGKILL']);
      clearTimeout(left);
    }
  },
  60_000,
);
