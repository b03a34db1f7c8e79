import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OpenEnvEnvironment } from '../../../src/environments/openenv/environment.ts';
import { localPlacement } from '../../../src/placement/local.ts';
import { startFolderServer } from '../../../src/placement/openenv/folder-server.ts';
import type { AttachPython } from '../../../src/placement/placement.ts';
import { task, temporaryFolder } from '../../unit/runs/tasks.ts';
import { hasOpenEnv } from '../environments/openenv-server.ts';
import { dist, root } from '../programs.ts';
import { hasPython } from '../python.ts';
import { attachAt } from './attach-at.ts';

const LIMIT = 120_000;
/** Seconds that the environment may take for an answer; a stop takes longer. */
const ANSWER_SECONDS = 0.2;

const hasDebugger = hasOpenEnv && hasPython('debugging OpenEnv environments', 'debugpy');

/** A copy of an environment: its folder, its code, and the lines that have these texts. */
async function environment(...texts: readonly string[]) {
  const folder = join(await temporaryFolder(), 'typed');
  await cp(join(root, 'test', 'fixtures', 'openenv', 'typed'), folder, { recursive: true });
  const path = join(folder, 'server', 'app.py');
  const code = (await readFile(path, 'utf8')).split('\n');
  return { folder, path, lines: texts.map((text) => code.findIndex((line) => line.includes(text)) + 1) };
}

describe.skipIf(!hasDebugger)('an OpenEnv environment in a folder that is debugged', () => {
  it(
    'has a server of its own, stops at breakpoints in its code, and may take its time there',
    async () => {
      const { folder, path, lines } = await environment('SIZES = {', 'goal = int(task', 'state.step_count += 1');
      const stops: number[] = [];
      const attachPython: AttachPython = (open) =>
        attachAt(path, lines, open, async ({ line }) => {
          stops.push(line);
          await delay(ANSWER_SECONDS * 3000);
        });
      const placement = localPlacement({ serverProgram: join(dist, 'server.js'), log: () => {} });
      onTestFinished(() => placement.dispose());
      const gym = { type: 'openenv', folder: './typed', timeout: ANSWER_SECONDS };
      const given = task({ file: join(folder, '..', 'a.task.json'), env: gym });
      const lease = await placement.open(given, { attachPython, progress: () => {} });

      expect(lease).toMatchObject({ debugged: true, address: expect.stringMatching(/^http:/) });
      const opened = new OpenEnvEnvironment(() => {});
      const files = { folder };
      await opened.reset({ task: given, files, seed: 7, address: lease.address, unlimited: true });
      const { observation } = await opened.step([{ direction: 'RIGHT' }]);
      await opened.close();

      expect(observation.data).toMatchObject({ x: 1 });
      expect(stops).toEqual(lines);
      await lease.release();
      await expect.poll(() => placement.running().filter(({ name }) => name !== undefined)).toEqual([]);
    },
    LIMIT,
  );

  it(
    'can be ended while it waits for a debugger',
    async () => {
      const { folder } = await environment();
      const ended = new AbortController();
      const starting = startFolderServer({
        folder,
        python: null,
        log: () => {},
        signal: ended.signal,
        attachPython: async (open) => {
          await open(() => {});
          ended.abort(new Error('was ended'));
        },
      });
      await expect(starting).rejects.toThrow('was ended');
    },
    LIMIT,
  );
});
