import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../../../src/environments/faults.ts';
import { Fleet, type HostCapacity } from '../../../../src/placement/docker/fleet.ts';
import {
  type EnvironmentServer,
  type Lease,
  type Placement,
  type RunningEnvironment,
  ServerError,
} from '../../../../src/placement/placement.ts';
import type { Task } from '../../../../src/tasks/task.ts';
import { task } from '../../runs/tasks.ts';

const GB = 1024 ** 3;
const options = { progress: () => {} };

/** A host of the test's. */
class Host {
  readonly name: string;
  capacityNow: HostCapacity;
  away = false;
  /** What `open` rejects with, if it does. */
  failure: ServerError | null = null;
  opened = 0;
  asked = 0;
  disposed = false;
  readonly placement: Placement;
  readonly #ends: ((end: { code: ErrorCode; message: string }) => void)[] = [];

  constructor(name: string, cpus = 8, memory = 16 * GB) {
    this.name = name;
    this.capacityNow = { cpus, memory };
    this.placement = {
      kind: 'docker',
      open: async () => this.#open(),
      running: () => [{ id: name } as RunningEnvironment],
      dispose: async () => {
        this.disposed = true;
      },
    };
  }

  async capacity(): Promise<HostCapacity> {
    this.asked += 1;
    if (this.away) throw new ServerError('docker_missing', `tcp://${this.name} does not answer`);
    return this.capacityNow;
  }

  /** The daemon is gone, and everything on it ends. */
  die(): void {
    this.away = true;
    for (const end of this.#ends) end({ code: 'docker_gone', message: 'The connection to Docker was lost.' });
  }

  async #open(): Promise<Lease> {
    if (this.failure !== null) throw this.failure;
    if (this.away) throw new ServerError('container_create_failed', 'connect ECONNREFUSED');
    this.opened += 1;
    const whenEnded = new Promise<{ code: ErrorCode; message: string }>((resolve) => this.#ends.push(resolve));
    const server = { whenEnded, host: this.name } as unknown as EnvironmentServer;
    return { server, files: { folder: '/t' }, release: async () => {} };
  }
}

function fleetOf(...hosts: readonly Host[]): { fleet: Fleet; log: string[]; open(of?: Partial<Task>): Promise<Lease> } {
  const log: string[] = [];
  const members = hosts.map((host) => ({
    name: host.name,
    placement: host.placement,
    capacity: () => host.capacity(),
  }));
  const fleet = new Fleet(members, { limits: {}, log: (text) => log.push(text) });
  return { fleet, log, open: (of = {}) => fleet.open(task(of), options) };
}

const limited = (docker: object): Partial<Task> => ({ metadata: { docker } as Task['metadata'] });

describe('a run on several Docker hosts', () => {
  it('goes to the host with the most room, also when many start at once', async () => {
    const [small, large] = [new Host('small', 4), new Host('large', 8)];
    const { open } = fleetOf(small, large);
    await Promise.all(Array.from({ length: 6 }, () => open()));
    // Two processors for each container: the larger one takes twice as many.
    expect([small.opened, large.opened]).toEqual([2, 4]);
    expect([small.asked, large.asked]).toEqual([1, 1]);
  });

  it('counts memory, and no longer counts containers that have ended', async () => {
    const [wide, tall] = [new Host('wide', 64, 4 * GB), new Host('tall', 4, 64 * GB)];
    const { open } = fleetOf(wide, tall);
    const heavy = await open(limited({ cpus: 1, memory: 4096 }));
    expect([wide.opened, tall.opened]).toEqual([0, 1]);
    await heavy.release();
    await open(limited({ cpus: 4, memory: 256 }));
    expect([wide.opened, tall.opened]).toEqual([1, 1]);
  });

  it('goes to the first of several hosts with the same room', async () => {
    const [first, second] = [new Host('first', 2), new Host('second', 2)];
    const { open } = fleetOf(first, second);
    for (let run = 0; run < 4; run += 1) await open();
    expect([first.opened, second.opened]).toEqual([2, 2]);
  });

  it('goes to another host if one cannot be reached, which is tried again later', async () => {
    const [gone, there] = [new Host('gone', 64), new Host('there', 2)];
    gone.away = true;
    const { open, log } = fleetOf(gone, there);
    await Promise.all([open(), open()]);
    await open();
    expect([gone.opened, there.opened]).toEqual([0, 3]);
    expect(gone.asked).toBe(1);
    expect(log).toEqual([expect.stringContaining('The Docker host gone gets no runs for now')]);
  });

  it('fails when its host dies, and the next attempt goes to another host', async () => {
    const [dying, there] = [new Host('dying', 64), new Host('there', 2)];
    const { open } = fleetOf(dying, there);
    const lease = await open();
    expect(dying.opened).toBe(1);
    dying.die();
    await lease.server.whenEnded;
    await lease.release();
    await open();
    expect([dying.opened, there.opened]).toEqual([1, 1]);
  });

  it('goes to another host if one died unnoticed', async () => {
    const [dying, there] = [new Host('dying', 64), new Host('there', 2)];
    const { open } = fleetOf(dying, there);
    await (await open()).release();
    dying.away = true;
    await open();
    expect([dying.opened, there.opened]).toEqual([1, 1]);
  });

  it('fails with the error of the task if its host answers', async () => {
    const [one, other] = [new Host('one', 8), new Host('other', 2)];
    one.failure = new ServerError('image_build_failed', 'The build failed.');
    const { open } = fleetOf(one, other);
    await expect(open()).rejects.toMatchObject({ code: 'image_build_failed' });
    expect(other.opened).toBe(0);
    // Its room is free again.
    one.failure = null;
    for (let run = 0; run < 4; run += 1) await open();
    expect([one.opened, other.opened]).toEqual([4, 0]);
  });

  it('goes to another host if one responds but starts no container, and fails if none does', async () => {
    const [full, there] = [new Host('full', 64), new Host('there', 2)];
    full.failure = new ServerError('container_create_failed', 'no space left on device');
    const { open } = fleetOf(full, there);
    await open();
    await open();
    expect(there.opened).toBe(2);
    there.failure = full.failure;
    await expect(open()).rejects.toThrow('no space left on device');
  });

  it('reports why no host can be reached, and succeeds once one can be', async () => {
    const [one, other] = [new Host('one'), new Host('other')];
    one.away = true;
    other.away = true;
    const { open } = fleetOf(one, other);
    await expect(open()).rejects.toMatchObject({
      code: 'docker_missing',
      message: 'No Docker host can be reached. one: tcp://one does not answer; other: tcp://other does not answer.',
    });
    other.away = false;
    await open();
    expect(other.opened).toBe(1);
  });

  it('ends when it is cancelled', async () => {
    const [one] = [new Host('one')];
    const { fleet } = fleetOf(one);
    const signal = AbortSignal.abort(new Error('cancelled'));
    await expect(fleet.open(task(), { ...options, signal })).rejects.toThrow('cancelled');
    expect(one.opened).toBe(0);
  });

  it('ends immediately when it is cancelled, even while a host has not responded', async () => {
    const [slow] = [new Host('slow', 4)];
    const answer = Promise.withResolvers<HostCapacity>();
    slow.capacity = () => answer.promise;
    const { fleet, open } = fleetOf(slow);
    const cancel = new AbortController();
    const opening = fleet.open(task(), { ...options, signal: cancel.signal });
    cancel.abort(new Error('cancelled'));
    await expect(opening).rejects.toThrow('cancelled');
    expect(slow.opened).toBe(0);
    answer.resolve({ cpus: 4, memory: 16 * GB });
    await open();
    expect(slow.opened).toBe(1);
  });

  it('is listed with the others, and ends with them', async () => {
    const hosts = [new Host('one'), new Host('other')];
    const { fleet } = fleetOf(...hosts);
    expect(fleet.running().map(({ id }) => id)).toEqual(['one', 'other']);
    await fleet.dispose();
    expect(hosts.map(({ disposed }) => disposed)).toEqual([true, true]);
  });
});
