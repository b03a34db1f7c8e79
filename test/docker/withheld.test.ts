import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { Images } from '../../src/placement/docker/build.ts';
import { ALLOWED, ANSWER, known, workspace } from '../attacks/files/workspace.ts';
import { root } from '../system/programs.ts';
import { task } from '../system/server/harness.ts';
import { daemon, place } from './harness.ts';

beforeAll(async () => {
  await new Images(root).ensure(await daemon(), 'coding', () => {});
});

test.each([
  ['mounted', 0o755],
  ['handed over', 0o700],
])('A coding task in a container begins without what its run knows, its folder %s', async (how, mode) => {
  const folder = workspace();
  await chmod(folder, mode);
  const asked = task('', { file: join(folder, 'questions.json'), env: { type: 'coding', folder: '.' } });
  const { server, files } = await place().open(asked, { withheld: known(folder) });
  expect('folder' in files ? 'mounted' : 'handed over').toBe(how);
  const { session } = await server.request('session.open', {});
  const start = await server.request('session.reset', { session, task: asked, files, seed: 0 });
  expect(start.observation.text).toBe(`Files:\n${ALLOWED.join('\n')}`);
  const seen = await server.request('session.step', { session, actions: [`run('grep -rl ${ANSWER} . | wc -l')`] });
  expect(seen.observation.text).toContain('\n0\n');
});
