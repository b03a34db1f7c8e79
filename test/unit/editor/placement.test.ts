import { describe, expect, it } from 'vitest';
import type { Health } from '../../../src/doctor/doctor.ts';
import {
  describeAvailability,
  dockerAvailability,
  hostsAvailability,
  swarmAvailability,
} from '../../../src/editor/placement/availability.ts';
import { configuredHosts, dockerSettings } from '../../../src/editor/placement/docker-settings.ts';
import type { DockerState } from '../../../src/placement/docker/docker.ts';
import { doctorPage } from '../../../src/presentation/placement/doctor-page.ts';
import { contextOf, formatMemory, formatUsage, hostName, uptime } from '../../../src/presentation/placement/format.ts';

const read = (values: Record<string, unknown>) => (key: string) => values[key];

describe('the settings of containers', () => {
  it('are the limits that are set, and one container kept ready', () => {
    expect(dockerSettings(read({}))).toEqual({ limits: {}, warm: 1, hosts: [] });
    const set = { cpus: 1.5, memory: 512, pids: 64, network: 'none', warm: 0, hosts: ['ssh://a', 'b'] };
    const { warm, hosts, ...limits } = set;
    expect(dockerSettings(read(set))).toEqual({ limits, warm, hosts });
    expect([configuredHosts(read(set)), configuredHosts(read({ hosts: 'a' }))]).toEqual([hosts, []]);
  });

  it.each([
    ['cpus', 0],
    ['cpus', '2'],
    ['memory', 100],
    ['memory', 512.5],
    ['pids', 1],
    ['network', 'host'],
    ['warm', -1],
    ['warm', 1.5],
    ['warm', 100],
    ['hosts', 'ssh://a'],
    ['hosts', ['']],
  ])('are refused by name where %s is %j', (key, value) => {
    const asked = (): unknown => dockerSettings(read({ [key]: value }));
    expect(asked).toThrow(expect.objectContaining({ code: 'bad_setting' }));
    expect(asked).toThrow(`Invalid setting “taskwright.docker.${key}”: ${JSON.stringify(value)}. Expected `);
  });
});

describe('the menu of an environment', () => {
  const hudAddress = 'tcp://127.0.0.1:8765';
  it.each([
    ['local', undefined, 'linux', 'environment local ready'],
    ['local', hudAddress, 'linux', 'environment local hud ready'],
    ['local', hudAddress, 'win32', 'environment local ready'],
    ['docker', hudAddress, 'win32', 'environment docker ready'],
  ] as const)('offers a shell where one can be opened: %s, %s, %s', (placement, hudAddress, platform, expected) => {
    expect(contextOf({ placement, hudAddress, tasks: [] }, platform)).toBe(expected);
  });
});

describe('what an environment uses', () => {
  it('is described briefly for a list', () => {
    expect(formatUsage({ cpus: 0.374, memory: 412 * 1024 * 1024, memoryLimit: null })).toBe('37 % · 412 MB');
    expect(formatUsage({ cpus: null, memory: 412 * 1024 * 1024, memoryLimit: null })).toBe('412 MB');
    expect(formatUsage(null)).toBe('');
    expect(formatMemory(1.25 * 1024 ** 3)).toBe('1.3 GB');
  });

  it('has the name of its host without what leads to it', () => {
    const names = ['my-context', 'unix:///run/docker.sock', 'build-1:2375', 'a:b:c'].map(hostName);
    expect(names).toEqual(['my-context', '/run/docker.sock', 'build-1:2375', 'a:b:c']);
  });

  it('has an uptime', () => {
    const began = new Date('2026-01-01T10:00:00Z');
    const up = (seconds: number): string => uptime(began, began.getTime() + seconds * 1000);
    expect([up(7), up(723), up(3723)]).toEqual(['0:07', '12:03', '1:02:03']);
  });
});

describe('the doctor’s page', () => {
  it('lists findings, searched places, and fixes, with unescaped paths', () => {
    const health: Health = {
      ok: true,
      node: { version: '24.1.0', wanted: '>=22', ok: true },
      browser: {
        ok: true,
        path: '/opt/my_browser_*',
        name: 'Chromium',
        version: null,
        sandbox: null,
        tried: [],
        fix: null,
      },
      miniwob: { ok: false, folder: null, by: null, tried: [], fix: null },
      python: null,
      git: '2.47.3',
      desktop: { ok: true, missing: [], fix: null },
      docker: {
        ok: false,
        host: null,
        by: null,
        version: null,
        local: null,
        room: null,
        images: [],
        tried: ['unix:///x.sock'],
        fix: 'Install it.\nOr not.',
      },
      hosts: [],
      kubernetes: { found: false, message: 'There is no cluster.' },
    };
    const page = doctorPage(health);
    expect(page).toContain('Tasks can run on this machine. Tasks cannot run in Docker yet.');
    expect(page).toContain('- ✓ Chromium: /opt/my\\_browser\\_\\*');
    expect(page).toContain('  - unix:///x.sock');
    expect(page).toContain('  Install it.  \n  Or not.');
    const host = { ...health.docker, ok: true, name: 'far' };
    expect(doctorPage({ ...health, hosts: [host] })).toContain('Tasks can run in Docker.');
  });
});

describe('a place to choose', () => {
  const found = (cpus: number, containers: number, built: boolean): DockerState => ({
    found: true,
    host: 'tcp://far:2376',
    by: 'the context “far”',
    version: '28.2.2',
    local: false,
    room: { cpus, memory: 8 * 1024 ** 3, containers },
    images: [{ tag: 'taskwright-browser:1', built }],
  });
  const missing: DockerState = {
    found: false,
    tried: ['tcp://far:2376: it requires TLS'],
    message: 'Docker cannot be reached.',
    fix: 'Set DOCKER_CERT_PATH.',
  };

  it('is described by its room', () => {
    expect(describeAvailability({ room: { cpus: 2, memory: 7.8 * 1024 ** 3, containers: null } })).toBe(
      '2 CPUs · 7.8 GB',
    );
    expect(describeAvailability(dockerAvailability(found(8, 1, true)))).toBe(
      '28.2.2 · 8 CPUs · 8.0 GB · 1 container running',
    );
    expect(describeAvailability(dockerAvailability(found(1, 0, false)))).toBe(
      '28.2.2 · 1 CPU · 8.0 GB · 0 containers running · builds the image on first use',
    );
  });

  it('that is several hosts has the room of those that are available', () => {
    const hosts = hostsAvailability([found(8, 1, true), missing, found(4, 2, true)]);
    expect(describeAvailability(hosts)).toBe('2 of 3 hosts · 12 CPUs · 16.0 GB · 3 containers running');
  });

  it('that is a swarm has the room of the nodes that are ready', () => {
    const room = { cpus: 12, memory: 16 * 1024 ** 3, containers: null };
    const state = { found: true, nodes: 3, ready: 2, room } as const;
    const swarm = swarmAvailability({ ...found(2, 1, true), swarm: state } as DockerState, 'registry.example.com/me');
    expect(describeAvailability(swarm)).toBe('2 of 3 nodes ready · 12 CPUs · 16.0 GB');
    expect(describeAvailability({ room, nodes: { ready: 1, all: 1 } })).toBe('1 of 1 node ready · 12 CPUs · 16.0 GB');
    const message = 'The Docker daemon at unix:///x.sock is not part of a swarm.';
    const none = { ...found(2, 1, true), swarm: { found: false, message } } as DockerState;
    expect(swarmAvailability(none, null)).toEqual({ problem: message });
    expect(swarmAvailability(missing, null)).toEqual(dockerAvailability(missing));
  });

  it('notes that only the manager of a swarm with other nodes runs tasks without a registry', () => {
    const room = { cpus: 12, memory: 16 * 1024 ** 3, containers: null };
    const noteOf = (nodes: number, registry: string | null): unknown =>
      swarmAvailability(
        { ...found(2, 1, true), swarm: { found: true, nodes, ready: nodes, room } } as DockerState,
        registry,
      );
    expect(noteOf(3, null)).toHaveProperty('note', expect.stringContaining('taskwright.swarm.registry'));
    expect(noteOf(3, 'registry.example.com/me')).not.toHaveProperty('note');
    expect(noteOf(1, null)).not.toHaveProperty('note');
  });

  it('describes why it cannot be used, and what to do', () => {
    const problem = 'tcp://far:2376: it requires TLS. Set DOCKER_CERT_PATH.';
    expect(dockerAvailability(missing)).toEqual({ problem });
    expect(hostsAvailability([missing, missing])).toEqual({ problem });
    expect(describeAvailability({ problem })).toBe('not available');
  });
});
