import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HudSession } from '../../../src/environments/hud/session.ts';
import { startEnvServer } from '../../../src/placement/hud/env-server.ts';
import type { AttachedPython } from '../../../src/placement/placement.ts';
import type { Json } from '../../../src/tasks/task.ts';
import { temporaryFolder } from '../../unit/runs/tasks.ts';
import { hudEnvironment } from '../python.ts';

const LIMIT = 120_000;
const venv = await hudEnvironment();

const CODE = `from hud import Environment

env = Environment(name="letters")


@env.template()
async def count(word: str, letter: str = "r"):
    answer = yield f"How many {letter} are in {word}?"
    yield 1.0 if answer == str(word.count(letter)) else 0.0
`;

/** An editor that sets a breakpoint and continues at each stop. Resolves when it has sent what begins a session. */
async function attachAt(
  path: string,
  line: number,
  open: (listen: (message: Json) => void) => Promise<AttachedPython>,
  stopped: (reason: string) => void,
): Promise<void> {
  const opened = Promise.withResolvers<AttachedPython>();
  let seq = 0;
  const say = async (command: string, args: Record<string, Json>): Promise<void> => {
    seq += 1;
    await (await opened.promise).send({ seq, type: 'request', command, arguments: args });
  };
  const listen = async (message: Json): Promise<void> => {
    const { event, command, body } = (message ?? {}) as {
      event?: string;
      command?: string;
      body?: Record<string, Json>;
    };
    if (command === 'initialize') await say('attach', { justMyCode: true });
    if (event === 'initialized') {
      await say('setBreakpoints', { source: { path }, breakpoints: [{ line }] });
      await say('configurationDone', {});
    }
    if (event === 'stopped') {
      stopped(String(body?.['reason']));
      await say('continue', { threadId: body?.['threadId'] ?? 1 });
    }
  };
  opened.resolve(await open((message) => void listen(message)));
  await say('initialize', { adapterID: 'test', pathFormat: 'path' });
}

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
        attachPython: (open) => attachAt(path, 9, open, (reason) => stops.push(reason)),
      });
      const session = await HudSession.open(server.address);
      await session.start('count', { word: 'raspberry' });
      expect(stops).toEqual([]);
      expect(await session.grade('3')).toEqual({ score: 1 });
      expect(stops).toEqual(['breakpoint']);
      await session.close();
      await server.stop();
      await expect.poll(() => server.running).toBe(false);
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
