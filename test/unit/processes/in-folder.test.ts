import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished, vi } from 'vitest';
import { killGroup } from '../../../src/processes/groups.ts';
import { killWithFolder } from '../../../src/processes/in-folder.ts';
import { needsLinux } from '../../systems.ts';
import { temporaryFolder } from '../runs/tasks.ts';

/** A process in a group of its own that never ends. Resolves when its arguments can be seen. */
async function start(argument: string): Promise<ChildProcess> {
  const program = 'console.log("ready"); setInterval(() => {}, 1e9);';
  const child = spawn(process.execPath, ['-e', program, '--', argument], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => {
    if (child.pid !== undefined) killGroup(child.pid);
  });
  await once(child.stdout, 'data');
  return child;
}

it.skipIf(needsLinux('processes without ps'))('kills what works in a folder, and no other, without ps', async () => {
  const [folder, other] = [await temporaryFolder(), await temporaryFolder()];
  const inside = await start(`--database=${folder}/Crashpad`);
  const outside = await start(`--database=${other}/Crashpad`);
  vi.stubEnv('PATH', '');
  const ended = once(inside, 'exit');
  await killWithFolder(folder);
  expect(await ended).toEqual([null, 'SIGKILL']);
  expect([outside.exitCode, outside.signalCode]).toEqual([null, null]);
});
