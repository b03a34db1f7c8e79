import { join } from 'node:path';
import { beforeAll, describe, expect } from 'vitest';
import type { RunRecord } from '../../src/traces/trace.ts';
import { itLong } from '../sample.ts';
import { start } from '../system/cli/program.ts';
import { missing } from '../system/environments/miniwob-pages.ts';
import { root } from '../system/programs.ts';
import { builtImage, temporaryFolder } from './harness.ts';

beforeAll(builtImage);

describe.skipIf(missing !== null)('a task of MiniWoB++', () => {
  itLong(
    'has its pages in a container too',
    async () => {
      const tasks = ['click-test', 'enter-date'].map((id) => `miniwob.tasks.yaml#${id}`);
      const args = ['run', ...tasks, '--agent', 'module:solver.agent.ts', '--placement', 'docker', '--json', '--out'];
      const { out, err } = await start([...args, await temporaryFolder()], join(root, 'examples', 'miniwob')).ended;
      const { runs } = JSON.parse(out) as { runs: readonly RunRecord[] };
      expect(
        runs.map(({ reward }) => reward),
        err,
      ).toEqual([1, 1]);
    },
    300_000,
  );
});
