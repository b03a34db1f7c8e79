import { describe, expect, it } from 'vitest';
import { type Engines, examine, type Health, healthLines } from '../../../src/doctor/doctor.ts';
import type { DockerState, KubernetesState, SwarmState } from '../../../src/placement/docker/docker.ts';
import { needsProgram } from '../../systems.ts';

const DOCKER = {
  found: true,
  host: 'unix:///var/run/docker.sock',
  by: 'the default location',
  version: '28.2.2',
  local: true,
  room: { cpus: 8, memory: 16 * 1024 ** 3, containers: 1 },
  images: [{ tag: 'taskwright-browser:1234', built: true }],
} as const satisfies DockerState;
const NO_DOCKER = {
  found: false,
  tried: ['unix:///var/run/docker.sock: no such file'],
  message: 'There is no Docker.',
  fix: 'Install Docker, or set its address with DOCKER_HOST or a Docker context.',
} as const satisfies DockerState;
const WELL: Health = {
  ok: true,
  node: { version: '24.1.0', wanted: '>=22', ok: true },
  browser: {
    ok: true,
    path: '/usr/bin/chromium',
    name: 'Chromium',
    version: '150.0',
    sandbox: { on: true },
    tried: [],
    fix: null,
  },
  miniwob: { ok: true, folder: '/pages/html', by: 'python3', tried: [], fix: null },
  python: { path: '/usr/bin/python3', version: '3.13.5', playwright: true, pytest: true, debugpy: true, hud: false },
  git: '2.47.3',
  desktop: { ok: true, missing: [], fix: null },
  docker: {
    ok: true,
    host: DOCKER.host,
    by: DOCKER.by,
    version: DOCKER.version,
    local: true,
    room: DOCKER.room,
    images: DOCKER.images,
    tried: [],
    fix: null,
  },
  hosts: [],
  kubernetes: {
    found: true,
    context: 'dev',
    namespace: 'evals',
    version: '1.31.2',
    nodes: { nodes: 3, ready: 2, room: { cpus: 7.5, memory: 32 * 1024 ** 3, containers: null } },
    problem: null,
  },
};
const NO_KUBERNETES: KubernetesState = { found: false, message: 'kubectl was not found. Install it.' };

/** An object whose methods need it, as that of the editor. */
const engines = (find: Engines['findDocker']): Engines => ({
  findDocker(query) {
    expect(this).toHaveProperty('findKubernetes');
    return find(query);
  },
  findKubernetes() {
    expect(this).toHaveProperty('findDocker');
    return Promise.resolve(NO_KUBERNETES);
  },
});

const said = (health: Health): string[] => healthLines(health).map(({ state, text }) => `${state}: ${text}`);

describe('what the doctor says', () => {
  it('of a machine that has everything: what was found, nothing to do', () => {
    expect(said(WELL)).toEqual([
      'found: Node.js 24.1.0',
      'found: Chromium 150.0: /usr/bin/chromium',
      "found: The browser's sandbox is on",
      'found: MiniWoB++: /pages/html (python3)',
      'found: Python 3.13.5 for user-defined functions and custom environments: /usr/bin/python3 (with playwright, which functions need to access the page)',
      'found: git 2.47.3',
      'found: The programs for desktop tasks',
      'found: Docker 28.2.2 at unix:///var/run/docker.sock (the default location), on this machine, 8 CPUs, 16.0 GB of memory, 1 container running',
      'found: Image taskwright-browser:1234',
      'found: Kubernetes 1.31.2 (context dev, namespace evals): 2 of 3 nodes ready, 7.5 CPUs, 32.0 GB of memory',
    ]);
    expect(healthLines(WELL).flatMap(({ fix }) => fix)).toEqual([]);
  });

  it('without Docker: what was tried and how to get it, and that local works', async () => {
    const { docker } = await examine(engines(async () => NO_DOCKER));
    const line = healthLines({ ...WELL, docker }).at(-2);
    expect(line).toMatchObject({ state: 'optional', tried: NO_DOCKER.tried });
    expect(line?.fix.join(' ')).toMatch(/only needed.*install Docker.*DOCKER_HOST/i);
  });

  it('does not fail for a lack of Docker, and does for a lack of a browser', async () => {
    const nowhere = '/nowhere/to/be/found';
    expect(
      await examine(
        engines(async () => NO_DOCKER),
        '24.0.0',
        { browser: nowhere },
      ),
    ).toMatchObject({
      ok: false,
      browser: { ok: false, tried: [expect.stringContaining(nowhere)] },
      docker: { ok: false },
    });
    const programs = await examine(
      engines(async () => NO_DOCKER),
      '24.0.0',
      { browser: process.execPath },
    );
    expect(programs).toMatchObject({ ok: true, docker: { ok: false, tried: NO_DOCKER.tried } });
  });

  it('of an old Node: which one is needed', () => {
    const old = { ...WELL, node: { version: '20.9.0', wanted: '>=22', ok: false } };
    expect(healthLines(old)[0]).toMatchObject({ state: 'missing', text: 'Node.js 20.9.0: >=22 is required' });
  });

  it('of a browser without its sandbox: why, and what turns it on', () => {
    const sandbox = { on: false, reason: 'No usable sandbox!', fix: 'Allow user namespaces.' } as const;
    const line = healthLines({ ...WELL, browser: { ...WELL.browser, sandbox } })[2];
    expect(line).toMatchObject({ state: 'optional', text: expect.stringContaining('No usable sandbox!') });
    expect(line?.fix).toEqual(['Allow user namespaces.']);
  });

  it('of a daemon elsewhere and an image that is not built: what that means', () => {
    const images = [{ tag: 'taskwright-browser:1', built: false }];
    const lines = healthLines({ ...WELL, docker: { ...WELL.docker, local: false, images } }).slice(-3);
    expect(lines[0]?.text).toContain('on another machine');
    expect(lines[1]).toMatchObject({ state: 'optional', text: expect.stringContaining('not built yet') });
  });

  it('of each host to distribute runs over: its room, or what is missing and what to do', async () => {
    const states: Record<string, DockerState> = {
      near: { ...DOCKER, images: [{ tag: 'taskwright-browser:1', built: false }] },
      far: {
        ...NO_DOCKER,
        tried: ['tcp://far:2376 (in the list of hosts): it requires TLS'],
        fix: 'Set DOCKER_CERT_PATH.',
      },
    };
    const health = await examine(
      engines(async ({ host } = {}) => states[host ?? ''] ?? NO_DOCKER),
      '24.0.0',
      {
        hosts: ['near', 'far'],
      },
    );
    expect(health.hosts).toMatchObject([
      { name: 'near', ok: true, room: DOCKER.room },
      { name: 'far', ok: false, room: null },
    ]);
    expect(healthLines(health).slice(-4, -1)).toEqual([
      expect.objectContaining({
        state: 'found',
        text: expect.stringMatching(
          /^Docker host near: Docker 28\.2\.2 at .*, 8 CPUs, 16\.0 GB of memory, 1 container running$/,
        ),
      }),
      expect.objectContaining({
        state: 'optional',
        text: 'Images that are not built yet on near: taskwright-browser:1',
      }),
      {
        state: 'optional',
        text: 'The Docker host far gets no runs',
        tried: ['tcp://far:2376 (in the list of hosts): it requires TLS'],
        fix: ['Set DOCKER_CERT_PATH.'],
      },
    ]);
  });

  it('of a machine without the programs of a desktop: which they are, and how to get them', () => {
    const desktop = { ok: false, missing: ['Xtigervnc', 'jwm'], fix: 'apt-get install them\nor use Docker' };
    const line = healthLines({ ...WELL, desktop }).find(({ text }) => text.includes('desktop tasks'));
    expect(line).toMatchObject({ state: 'optional', fix: ['apt-get install them', 'or use Docker'] });
    expect(line?.text).toContain('Xtigervnc, jwm');
  });

  it('of the pages of MiniWoB++: that they are wanted by its tasks only, and how to get them', () => {
    const miniwob = { ok: false, folder: null, by: null, tried: ['python3 on the PATH'], fix: 'pip install miniwob' };
    const line = healthLines({ ...WELL, miniwob })[3];
    expect(line).toMatchObject({ state: 'optional', tried: miniwob.tried, fix: [miniwob.fix] });
    expect(line?.text).toContain('needed for tasks of that benchmark');
  });

  it('of Python: that own functions in it want it, and what its packages would give them', () => {
    expect(healthLines({ ...WELL, python: null })[4]).toMatchObject({
      state: 'optional',
      text: expect.stringContaining('needed for functions in Python, and for custom environments without Docker'),
      fix: [expect.stringContaining('apt-get install python3')],
    });
    const bare = healthLines({
      ...WELL,
      python: {
        path: '/usr/bin/python3',
        version: '3.13.5',
        playwright: false,
        pytest: true,
        debugpy: true,
        hud: false,
      },
    })[4];
    expect(bare).toMatchObject({
      state: 'found',
      text: expect.stringContaining('without playwright, which functions need to access the page'),
    });
  });

  it('of what coding tasks may want: who needs it, and how to get it', async () => {
    const python = {
      path: '/usr/bin/python3',
      version: '3.13.5',
      playwright: true,
      pytest: false,
      debugpy: true,
      hud: false,
    };
    const lines = healthLines({ ...WELL, python, git: null }).slice(5, 7);
    expect(lines).toEqual([
      expect.objectContaining({ state: 'optional', fix: ['/usr/bin/python3 -m pip install pytest'] }),
      expect.objectContaining({ state: 'optional', fix: [expect.stringContaining('apt-get install git')] }),
    ]);
    expect(lines.map(({ text }) => text).join('\n')).toMatch(
      /pytest.*needed for coding tasks.*\n.*git.*needed for.*a repository/,
    );
  });

  it.skipIf(needsProgram('git', 'the version of git'))('of git, with its version', async () => {
    expect((await examine(engines(async () => NO_DOCKER))).git).toMatch(/^\d+\.\d+/);
  });

  it('of what steps through functions in Python: who needs it, and how to get it', () => {
    const python = {
      path: '/usr/bin/python3',
      version: '3.13.5',
      playwright: true,
      pytest: true,
      debugpy: false,
      hud: false,
    };
    expect(healthLines({ ...WELL, python })).toContainEqual(
      expect.objectContaining({
        ...{ state: 'optional', fix: ['/usr/bin/python3 -m pip install debugpy'] },
        text: 'debugpy was not found (needed to debug functions in Python)',
      }),
    );
  });

  it('of a swarm: how many nodes are ready and what room they have, or what is missing', async () => {
    const room = { cpus: 12, memory: 48 * 1024 ** 3, containers: null };
    const linesWith = async (swarm: SwarmState) => {
      const { docker } = await examine(
        engines(async () => ({ ...DOCKER, swarm })),
        '24.1.0',
      );
      return healthLines({ ...WELL, docker }).filter(({ text }) => text.includes('Swarm'));
    };

    expect(await linesWith({ found: true, nodes: 3, ready: 2, room })).toMatchObject([
      { state: 'found', text: 'Docker Swarm: 2 of 3 nodes ready, 12 CPUs, 48.0 GB of memory' },
    ]);
    expect(await linesWith({ found: false, message: 'Create one.' })).toMatchObject([
      { state: 'optional', fix: ['Only needed to run tasks in a swarm.', 'Create one.'] },
    ]);
  });
});

describe('what the doctor says of Kubernetes', () => {
  const { kubernetes } = WELL;
  if (!kubernetes.found) throw new Error('it was found');

  it.each<[string, KubernetesState, string, string[]]>([
    [
      'nothing was found',
      NO_KUBERNETES,
      'optional: Kubernetes was not found',
      ['Only needed to run tasks in Kubernetes.', 'kubectl was not found. Install it.'],
    ],
    [
      'a permission is missing',
      { ...kubernetes, problem: 'You may not create jobs' },
      'optional: Kubernetes 1.31.2 (context dev, namespace evals) cannot run tasks',
      ['You may not create jobs.'],
    ],
    [
      'nodes are unknown',
      { ...kubernetes, nodes: null },
      'found: Kubernetes 1.31.2 (context dev, namespace evals): you may not list its nodes',
      [],
    ],
    [
      'no node is ready',
      { ...kubernetes, nodes: { nodes: 1, ready: 0, room: { cpus: 0, memory: 0, containers: null } } },
      'optional: Kubernetes 1.31.2 (context dev, namespace evals): 0 of 1 node ready, 0 CPUs, 0.0 GB of memory',
      [],
    ],
  ])('if %s', (_what, state, text, fix) => {
    const health = { ...WELL, kubernetes: state };
    expect(said(health).at(-1)).toBe(text);
    expect(healthLines(health).at(-1)?.fix).toEqual(fix);
  });
});
