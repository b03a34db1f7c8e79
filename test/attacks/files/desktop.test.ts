import { join } from 'node:path';
import { expect, it } from 'vitest';
import { EMPTY_RANGE } from '../../../src/base/range.ts';
import { place, task } from '../../system/server/harness.ts';
import { known, workspace } from './workspace.ts';

const WITHHELD = ['questions.json', 'hudtasks.py', 'a.actions', 'steps.js', 'shop.functions.ts', 'robot.js'];
const LINKED = [
  'pages/one.json',
  'pages/two-symbolic.html',
  'pages/six.js',
  'pages/eight.json',
  './lib/../others.json',
];

it('copies no file that its run knows into a desktop', async () => {
  const folder = workspace();
  const server = await place().placement.server();
  const { session } = await server.request('session.open', {});
  const asked = task('', {
    file: join(folder, 'questions.json'),
    env: { type: 'hud-ubuntu' },
    initial_state: {},
  });
  const files = { folder, withheld: known(folder) };
  await server.request('session.reset', { session, task: asked, files, seed: 0 });
  const upload = (path: string) =>
    server.request('session.setup', {
      session,
      call: { function: 'upload_file', args: [path], range: EMPTY_RANGE },
      limit_ms: 20_000,
    });
  for (const path of [...WITHHELD, ...LINKED]) {
    expect(await upload(path), path).toMatchObject({
      error: { message: expect.stringMatching(/, which no agent gets/) },
    });
  }
  expect(await upload('index.html')).not.toHaveProperty('error');
});
