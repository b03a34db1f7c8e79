import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { EMPTY_RANGE } from '../../src/base/range.ts';
import { TASK_MOUNT } from '../../src/placement/task-folder.ts';
import { itLong } from '../sample.ts';
import { task } from '../system/server/harness.ts';
import { Inspector } from '../system/server/inspector.ts';
import { PythonClient } from '../system/server/python-client.ts';
import { builtImage, containersOf, daemon, place, temporaryFolder } from './harness.ts';

beforeAll(builtImage);

test('A function in a container is entered through the container, with no port of it published', async () => {
  const folder = await temporaryFolder();
  await chmod(folder, 0o755);
  await writeFile(
    join(folder, 'ripe.functions.ts'),
    'export const ripe = (_: object, wanted: string) =>\n  wanted > "";\n',
  );
  const plum = task('<title>Plum</title>', { file: join(folder, 'plum.task.json') });
  const { server, files, release } = await place().open(plum, {});
  onTestFinished(release);
  const { session } = await server.request('session.open', {});
  await server.request('session.reset', { session, task: plum, files, seed: 0 });
  const { port } = await server.request('session.inspect', { session, file: 'plum.task.json' });
  const inspector = await Inspector.attach(await server.reach(port));
  const stopped = inspector.paused();
  const call = { function: 'ripe', args: ['Plum'], range: EMPTY_RANGE };

  const outcome = server.request('session.evaluate', { session, call, limit_ms: 100, pause: true });

  expect(inspector.placesOf(await stopped).slice(0, 2)).toEqual([
    `file://${TASK_MOUNT}/ripe.functions.ts:1`,
    `file://${TASK_MOUNT}/plum.task.json:0`,
  ]);
  await inspector.ask('Debugger.resume');
  expect(await outcome).toMatchObject({ value: 1 });
  const docker = await daemon();
  for (const id of await containersOf(process.pid)) {
    const { HostConfig, NetworkSettings } = await docker.getContainer(id).inspect();
    expect([HostConfig.PortBindings ?? {}, NetworkSettings.Ports]).toEqual([{}, {}]);
  }
});

itLong(
  'A function in Python in a container is stepped through to beyond its end, by its path on this machine',
  async () => {
    const folder = await temporaryFolder();
    await chmod(folder, 0o755);
    const functions = join(folder, 'ripe.functions.py');
    await writeFile(functions, 'def ripe(wanted: str) -> bool:\n    long = len(wanted) > 3\n    return long\n');
    await writeFile(join(folder, 'plum.task.json'), '[]\n');
    const plum = task('<title>Plum</title>', { file: join(folder, 'plum.task.json') });
    const { server, files, release } = await place().open(plum, {});
    onTestFinished(release);
    const { session } = await server.request('session.open', {});
    await server.request('session.reset', { session, task: plum, files, seed: 0 });
    const debug = () => server.request('session.debugPython', { session, file: 'plum.task.json', function: 'ripe' });
    const client = await PythonClient.attach(server, session, debug, folder, TASK_MOUNT);
    await client.breakAt(functions, [2]);
    const call = { function: 'ripe', args: ['Plum'], range: EMPTY_RANGE };

    const outcome = server.request('session.evaluate', { session, call, limit_ms: 100 });

    const seen: string[] = [];
    for (let left = 3; left > 0; left -= 1) {
      const thread = await client.stopped();
      seen.push((await client.places(thread))[0] ?? '');
      await client.ask(left > 1 ? 'next' : 'continue', { threadId: thread });
    }
    expect(seen).toEqual([`${functions}:2`, `${functions}:3`, expect.stringContaining(join(folder, 'plum.task.json'))]);
    expect(await outcome).toMatchObject({ value: 1 });
  },
);
