import { existsSync } from 'node:fs';
import { copyFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { HUD_0_4, HUD_0_5, HUD_0_6 } from '../../../scripts/python.ts';
import { randomFrom } from '../../random.ts';
import { caseCount } from '../../sample.ts';
import { temporaryFolder } from '../../unit/runs/tasks.ts';
import { start } from '../cli/program.ts';
import { root } from '../programs.ts';
import { hudEnvironment } from '../python.ts';
import { nothingLeft, processesOf } from '../server/harness.ts';

const KILLS = caseCount(2, 17);
const LIMIT = 120_000;
/** Of each state that a test waits for: less, so that the test can say which one did not come. */
const STATE_LIMIT = 50_000;
/** How long after the start of its environment a run is killed at most, in ms. */
const LATEST = 1_500;

const fixtures = join(root, 'test', 'fixtures', 'hud');
const servers = join(fixtures, 'servers');
const OFF = {
  HUD_TELEMETRY_ENABLED: 'false',
  PYTHONDONTWRITEBYTECODE: '1',
  PYTHONPATH: join(servers, 'without-data-sets'),
};

/** Acts for ever, once it has said so. */
const AGENT = `import { writeFileSync } from 'node:fs';
export default async () => {
  writeFileSync('acting', '');
  await new Promise(() => {});
};
`;

const eras = [
  {
    release: HUD_0_6,
    file: join(fixtures, 'lab', 'env.py'),
    row: { env: 'lab', id: 'count' },
  },
  {
    release: HUD_0_5,
    file: join(servers, 'env.py'),
    row: { env: { name: 'counting-things' }, scenario: 'count-to' },
  },
  {
    release: HUD_0_4,
    file: join(servers, 'server.py'),
    row: {
      prompt: 'Count.',
      mcp_config: { local: { command: join(HUD_0_4.folder, 'bin', 'python3'), args: ['server.py'], env: OFF } },
      evaluate_tool: { name: 'evaluate', arguments: { target: 3 } },
    },
  },
];

describe.each(eras)('a run with an environment of $release.name', async ({ release, file, row }) => {
  const venv = await hudEnvironment(release);
  const kills = Array.from({ length: KILLS }, (_, index) => index + 1);

  it.skipIf(venv === null).each(kills)(
    'leaves nothing behind when it is killed: %i',
    { timeout: LIMIT },
    async (kill) => {
      const folder = await temporaryFolder();
      await copyFile(file, join(folder, file.endsWith('server.py') ? 'server.py' : 'env.py'));
      await symlink(venv ?? '', join(folder, '.venv'));
      await writeFile(join(folder, 'a.task.json'), JSON.stringify(row));
      await writeFile(join(folder, 'wait.agent.mjs'), AGENT);
      const run = start(['run', 'a.task.json', '--agent', 'module:wait.agent.mjs'], folder, OFF);
      const python = async () => (await processesOf(run.mark)).filter(({ command }) => command.includes('python'));

      /** Where the state does not come, the test says what the run has said. */
      const reaches = (state: string, isReached: () => boolean | Promise<boolean>) =>
        expect
          .poll(async () => ((await isReached()) ? state : { code: run.child.exitCode, ...run.said() }), {
            timeout: STATE_LIMIT,
            interval: 50,
          })
          .toBe(state);

      await reaches('Python runs', async () => (await python()).length > 0);
      // While the agent acts, or any time before.
      if (kill % 2 === 1) {
        await reaches('the agent acts', () => existsSync(join(folder, 'acting')));
        expect(await python()).not.toEqual([]);
      } else await sleep(randomFrom(kill)() * LATEST);
      run.child.kill('SIGKILL');
      await run.ended;
      await nothingLeft(run.mark);
    },
  );
});
