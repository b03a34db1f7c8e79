import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HudSession } from '../../../src/environments/hud/session.ts';
import { startEnvServer } from '../../../src/placement/hud/env-server.ts';
import { temporaryFolder } from '../../unit/runs/tasks.ts';
import { hudEnvironment } from '../python.ts';
import { attachAt } from './attach-at.ts';

const LIMIT = 120_000;
const venv = await hudEnvironment();

const CODE = `from hud import Environment

env = Environment(name="letters")


@env.template()
async def count(word: str, letter: str = "r"):
    answer = yield f"How many {letter} are in {word}?"
    yield 1.0 if answer == str(word.count(letter)) else 0.0
`;

describe.skipIf(venv === null)('a HUD environment that is debugged', () => {
  it(
    'stops at a breakpoint in its template, and ends like any other',
    async () => {
      const folder = await temporaryFolder();
      const path = join(folder, 'env.py');
      await writeFile(path, CODE);
      await symlink(venv ?? '', join(folder, '.venv'));
      const stops: string[] = [];
      const server = await startEnvServer({
        hud: path,
        name: 'letters',
        startMs: LIMIT,
        log: () => {},
        attachPython: (open) => attachAt(path, [9], open, async ({ reason }) => void stops.push(reason)),
      });
      const session = await HudSession.open(server.address);
      await session.start('count', { word: 'raspberry' });
      expect(stops).toEqual([]);
      expect(await session.grade('3')).toEqual({ score: 1 });
      expect(stops).toEqual(['breakpoint']);
      await session.close();
      await server.stop();
      await server.exit;
    },
    LIMIT,
  );

  it(
    'can be ended while it waits for a debugger',
    async () => {
      const folder = await temporaryFolder();
      const path = join(folder, 'env.py');
      await writeFile(path, CODE);
      await symlink(venv ?? '', join(folder, '.venv'));
      const ended = new AbortController();
      const starting = startEnvServer({
        hud: path,
        name: 'letters',
        startMs: LIMIT,
        log: () => {},
        signal: ended.signal,
        attachPython: async (open) => {
          await open(() => {});
          ended.abort();
        },
      });
      await expect(starting).rejects.toThrow('was ended');
    },
    LIMIT,
  );
});
