import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { instructionLines } from '../../../../src/placement/docker/build.ts';
import { createOptions } from '../../../../src/placement/docker/create-options.ts';
import { DEFAULT_LIMITS, limitsOf } from '../../../../src/placement/docker/limits.ts';
import { isAbandoned, ownerLabel, thisOwner } from '../../../../src/placement/docker/owner.ts';
import type { Task } from '../../../../src/tasks/task.ts';

const root = join(import.meta.dirname, '..', '..', '..', '..');
const sealing = { owner: 'us', seccomp: '{}', user: { uid: 1000, gid: 100 } };

function limits(docker: unknown, settings = {}) {
  return limitsOf({ metadata: docker === undefined ? {} : { docker } } as unknown as Task, settings);
}

describe('the limits of a container', () => {
  test('are those of the task, else of the settings, else the defaults', () => {
    expect(limits(undefined)).toEqual(DEFAULT_LIMITS);
    expect(limits({ memory: 512 }, { memory: 1024, cpus: 1 })).toEqual({ ...DEFAULT_LIMITS, memory: 512, cpus: 1 });
    expect(limits({ network: 'none' })).toMatchObject({ network: 'none' });
  });

  test('are rejected with an explanation if they are invalid', () => {
    expect(() => limits({ memory: 16 })).toThrow(/docker\.memory: .*Supported keys: cpus/);
    expect(() => limits({ network: 'host' })).toThrow('docker.network');
    expect(() => limits('much')).toThrow('docker: ');
  });
});

describe('a container', () => {
  const limits = { cpus: 1.5, memory: 512, pids: 100, network: 'none' as const };
  const options = createOptions(
    { image: 'some', kind: 'browser', folder: '/home/me/my tasks', limits, miniwob: null },
    sealing,
  );

  test('is isolated', () => {
    expect(options.User).toBe('1000:100');
    expect(options.HostConfig).toMatchObject({
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges', 'seccomp={}'],
      NetworkMode: 'none',
      Memory: 512 * 1024 * 1024,
      MemorySwap: 512 * 1024 * 1024,
      NanoCpus: 1.5e9,
      PidsLimit: 100,
      AutoRemove: true,
    });
    expect(options.HostConfig).not.toHaveProperty('Privileged');
    expect(options.HostConfig).not.toHaveProperty('PortBindings');
  });

  test('sees one folder of this machine, and cannot write to it', () => {
    expect(options.HostConfig?.Mounts).toEqual([
      { Type: 'bind', Source: '/home/me/my tasks', Target: expect.any(String), ReadOnly: true },
    ]);
    expect(
      createOptions({ image: 'some', kind: 'browser', folder: null, limits, miniwob: null }, sealing).HostConfig
        ?.Mounts,
    ).toEqual([]);
    const pages = createOptions({ image: 'some', kind: 'browser', folder: null, limits, miniwob: '/pages' }, sealing);
    expect(pages.HostConfig?.Mounts).toEqual([
      { Type: 'bind', Source: '/pages', Target: '/opt/taskwright/miniwob', ReadOnly: true },
    ]);
    expect(pages.Env).toContain('TASKWRIGHT_MINIWOB=/opt/taskwright/miniwob');
  });

  test('ends when its standard input closes, and has a label with its owner', () => {
    expect(options).toMatchObject({ OpenStdin: true, StdinOnce: true, Tty: false });
    expect(options.Labels).toMatchObject({ 'taskwright.owner': 'us' });
  });

  test('has a seccomp profile that blocks administrative system calls', async () => {
    const profile = JSON.parse(await readFile(join(root, 'docker', 'seccomp.json'), 'utf8'));
    const allowed: string[] = profile.syscalls.flatMap(({ names }: { names: string[] }) => names);

    expect(profile.defaultAction).toBe('SCMP_ACT_ERRNO');
    for (const call of ['mount', 'umount2', 'pivot_root', 'bpf', 'kexec_load', 'init_module', 'reboot', 'swapon']) {
      expect(allowed).not.toContain(call);
    }
    for (const call of ['keyctl', 'add_key', 'perf_event_open', 'userfaultfd', 'open_by_handle_at', 'io_uring_setup']) {
      expect(allowed).not.toContain(call);
    }
  });
});

describe('the owner of a container', () => {
  test('is identified by host, process, and start time: a container is abandoned once its process has ended', async () => {
    const self = await thisOwner();

    expect(self).toMatchObject({ host: hostname(), pid: process.pid });
    expect(await isAbandoned(ownerLabel(self), self)).toBe(false);
    expect(await isAbandoned(ownerLabel({ ...self, pid: 4_194_000, started: '1' }), self)).toBe(true);
  });

  test('is unknown on another machine, in another container, and without a valid label', async () => {
    const self = await thisOwner();
    const dead = { ...self, pid: 4_194_000, started: '1' };

    expect(await isAbandoned(ownerLabel({ ...dead, host: 'elsewhere' }), self)).toBe(false);
    expect(await isAbandoned(ownerLabel({ ...dead, space: 'elsewhere' }), self)).toBe(false);
    expect(await isAbandoned('somebody', self)).toBe(false);
    expect(await isAbandoned(undefined, self)).toBe(false);
  });
});

describe('the instructions of a Dockerfile', () => {
  test('are numbered like the steps of its build', () => {
    const text = '# one\nFROM a AS b\n\nRUN c \\\n # between\n && d\nFROM e\r\nCOPY --from=b /f /f\n';

    expect(instructionLines(text).map(({ line }) => line)).toEqual([2, 4, 7, 8]);
    expect(instructionLines(text)[1]?.text).toBe('RUN c \\');
  });
});
