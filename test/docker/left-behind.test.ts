import { hostname } from 'node:os';
import { join } from 'node:path';
import type { ContainerCreateOptions } from 'dockerode';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { OWNER_LABEL, ownerLabel, thisOwner } from '../../src/placement/docker/owner.ts';
import { removeAbandoned } from '../../src/placement/docker/remove.ts';
import { start } from '../system/cli/program.ts';
import { root } from '../system/programs.ts';
import { builtImage, containersOf, daemon, nothingLeftOf, temporaryFolder } from './harness.ts';

beforeAll(builtImage);

const task = join(root, 'examples', 'login', 'login.taskset.json#log-in');

/** The command line with a run that does not end by itself; resolves when its container stands. */
async function running() {
  const out = await temporaryFolder();
  const args = ['run', task, '--placement', 'docker', '--agent', 'process:sleep 1000', '--out', out, '--verbose'];
  const program = start(args, root);
  await program.saying('runs as process');
  expect(await containersOf(program.child.pid)).toHaveLength(1);
  return program;
}

/** A container that says it is somebody's, and does nothing. */
async function container(owner: string | null, started = true): Promise<string> {
  const docker = await daemon();
  const options: ContainerCreateOptions = { Image: await builtImage(), Cmd: ['sleep', '1000'] };
  const made = await docker.createContainer({ ...options, Labels: owner === null ? {} : { [OWNER_LABEL]: owner } });
  if (started) await made.start();
  onTestFinished(async () => {
    await made.remove({ force: true }).catch(() => {});
  });
  return made.id;
}

describe('the command line', () => {
  test('that is interrupted leaves no container', async () => {
    const { child, ended } = await running();

    child.kill('SIGINT');

    expect(await ended).toMatchObject({ code: 130 });
    expect(await containersOf(child.pid)).toEqual([]);
  });

  test('that is killed leaves no container: it ends when nobody holds its standard input', async () => {
    const { child, ended } = await running();

    child.kill('SIGKILL');

    await ended;
    await nothingLeftOf(child.pid);
  });
});

describe('at the next start', () => {
  test('containers whose owner has died are removed, and no other', async () => {
    const self = await thisOwner();
    const dead = await container(ownerLabel({ ...self, pid: 4_194_000, started: '1' }));
    // Of one who was killed between making it and starting it.
    const unstarted = await container(ownerLabel({ ...self, pid: 4_194_000, started: '1' }), false);
    const reused = await container(ownerLabel({ ...self, started: '1' }));
    const living = await container(ownerLabel(self));
    const elsewhere = await container(ownerLabel({ ...self, host: `not-${hostname()}`, pid: 4_194_000 }));
    const otherSpace = await container(ownerLabel({ ...self, space: 'another container', pid: 4_194_000 }));
    const strange = await container('somebody');
    const nobodys = await container(null);
    const docker = await daemon();
    const [deadLabel, livingLabel] = [ownerLabel({ ...self, pid: 4_194_000, started: '1' }), ownerLabel(self)];
    const parts = await Promise.all(
      [deadLabel, livingLabel].map(async (owner, index) => {
        const named = { Name: `taskwright-test-${process.pid}-${index}`, Labels: { [OWNER_LABEL]: owner } };
        await docker.createVolume(named);
        return [await docker.createNetwork(named), docker.getVolume(named.Name)] as const;
      }),
    );
    onTestFinished(async () => {
      for (const part of parts.flat()) await part.remove().catch(() => {});
    });

    const removed = await removeAbandoned(docker, self);

    const all = async () => (await docker.listContainers({ all: true })).map(({ Id }) => Id);
    const kept = [living, elsewhere, otherSpace, strange, nobodys];
    expect(removed.filter((id) => kept.includes(id))).toEqual([]);
    expect(await all()).toEqual(expect.arrayContaining(kept));
    // A placement that another test starts meanwhile may have been the one to remove them.
    await expect.poll(async () => (await all()).filter((id) => [dead, unstarted, reused].includes(id))).toEqual([]);
    const exists = (part: { inspect(): Promise<unknown> }): Promise<boolean> =>
      part.inspect().then(
        () => true,
        (error: { statusCode?: number }) => {
          if (error.statusCode === 404) return false;
          throw error;
        },
      );
    await expect.poll(() => Promise.all((parts[0] ?? []).map(exists))).toEqual([false, false]);
    expect(await Promise.all((parts[1] ?? []).map(exists))).toEqual([true, true]);
  });
});
