import { createHash } from 'node:crypto';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Json } from '../../src/base/json.ts';
import { readTemplates } from '../../src/environments/hud/templates.ts';
import type { HudInDocker } from '../../src/environments/kind.ts';
import { Images } from '../../src/placement/docker/build.ts';
import { OWNER_LABEL } from '../../src/placement/docker/owner.ts';
import { type FindPresent, findPresent } from '../../src/placement/docker/present-server.ts';
import { servedImage } from '../../src/placement/docker/served-image.ts';
import { readTasks } from '../../src/tasks/read.ts';
import type { Task } from '../../src/tasks/task.ts';
import { itLong } from '../sample.ts';
import { editor } from '../system/cli/debugging-editor.ts';
import { start } from '../system/cli/program.ts';
import { root } from '../system/programs.ts';
import {
  containersOf,
  daemon,
  dockerAt,
  imageTags,
  nothingLeftOf,
  place,
  removeImages,
  run,
  temporaryFolder,
} from './harness.ts';
import { buildOnLab, HUD_LAB, PYTHON_BASE } from './lab-image.ts';
import { nodeImage } from './test-swarm.ts';

const IMAGE = `taskwright-test-hud:${process.pid}`;
const SERVE = ['python3', '-m', 'hud.environment.server', 'env.py', '--host', '0.0.0.0', '--port', '8765'];

/** An MCP server of the package that HUD 0.4 used. */
const COUNTER = `
from mcp.server.fastmcp import FastMCP
server, count = FastMCP("counter"), []
@server.tool()
def act() -> str:
    count.append(1)
    return str(len(count))
@server.tool()
def evaluate(target: int) -> dict:
    return {"reward": 1.0 if len(count) == target else 0.0}
server.run()
`;

interface Run {
  readonly status: string;
  readonly reward: number | null;
  readonly error: { readonly message: string } | null;
}

beforeAll(() => buildOnLab(IMAGE, HUD_LAB, SERVE), 600_000);

/** A folder of Docker's settings with the plugin Compose 2 of Debian 13, which this machine may not have. */
async function withCompose(): Promise<string> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'cli-plugins'));
  const { stdout } = await run('docker', ['create', await nodeImage()]);
  const plugin = `${stdout.trim()}:/usr/libexec/docker/cli-plugins/docker-compose`;
  await run('docker', ['cp', plugin, join(folder, 'cli-plugins')]);
  await run('docker', ['rm', '--volumes', stdout.trim()]);
  return folder;
}

afterAll(async () => {
  const built = await imageTags('taskwright-test-hud*');
  await removeImages(built.filter((tag) => tag.includes(`:${process.pid}`)));
});

function row(more: Readonly<Record<string, Json>> = {}, image = IMAGE) {
  return { env: 'lab', id: 'count', args: { word: 'abc', letter: 'a' }, runtime_config: { image }, ...more };
}

function taskOf(of: Json, folder = '/tasks'): Task {
  return readTasks(join(folder, 'a.task.json'), JSON.stringify(of)).rows[0]?.task as Task;
}

const serving = { startMs: 120_000, resources: {} };
const finding: FindPresent = { limits: {}, signal: new AbortController().signal, log: () => {} };

/** The templates of an environment that is found without a pull or a build, which is removed again; null if it is not. */
async function templatesOf(source: HudInDocker): Promise<readonly string[] | null> {
  const present = await findPresent(source, finding);
  if (present === null) return null;
  const server = await present.start();
  try {
    return (await readTemplates(server.address)).map(({ id }) => id);
  } finally {
    await server.stop();
  }
}

describe('a HUD environment in an image', () => {
  test('says its templates before a run if the image is here, and is gone then', async () => {
    expect(await templatesOf({ hudImage: IMAGE, ...serving })).toContain('count');
    expect(await containersOf(process.pid)).toEqual([]);
    expect(await templatesOf({ hudImage: 'localhost:1/no-such-image', ...serving })).toBeNull();
    dockerAt('unix:///no/such/socket');
    expect(await templatesOf({ hudImage: IMAGE, ...serving })).toBeNull();
  });

  test('serves all runs of a job from one container, with tracebacks of its code, and is gone with them', async () => {
    const folder = await temporaryFolder();
    const rows = [
      row(),
      row(),
      row({ id: 'raises_setup', args: {} }),
      row({
        id: 'counted',
        args: { number: 1, dies: 'once' },
        runtime_config: { image: IMAGE, resources: { cpu: 1 } },
      }),
      row({ verifier: { env: 'checks', id: 'verify', runtime_config: { image: IMAGE } } }),
    ];
    await writeFile(join(folder, 'lab.tasks.jsonl'), rows.map((one) => `${JSON.stringify(one)}\n`).join(''));
    await writeFile(join(folder, 'a.actions'), 'response("1")\n');
    const args = ['run', 'lab.tasks.jsonl', '--agent', 'replay:a.actions', '--concurrency', '3', '--json', '--verbose'];
    const { child, ended } = start([...args, '--retries', '0'], folder);
    const { out, err } = await ended;

    const { runs } = JSON.parse(out) as { runs: readonly Run[] };
    expect(
      runs.map(({ status, reward }) => `${status} ${reward}`),
      err,
    ).toEqual(['completed 1', 'completed 1', 'error null', 'error null', 'completed 2']);
    expect(runs[3]?.error?.message).toMatch(/\nThe HUD environment was killed\..*\nLast output:\n/);
    expect(runs[2]?.error?.message).toMatch(/could not be started: no such level\n(?:.*\n)*.*env\.py", line \d+, in/);
    // One has other limits.
    expect(err.match(/\] HUD_SERVE_PORT=/g)).toHaveLength(2);
    expect(await containersOf(child.pid)).toEqual([]);
  }, 300_000);

  test('has the resources of the task, no more rights, no telemetry, and one port on the loopback interface', async () => {
    const { placement, open } = place({ limits: { memory: 700, cpus: 2, pids: 120 } });
    const runtime_config = { image: IMAGE, resources: { cpu: 1.5, memory_mb: 600 } };
    const lease = await open(taskOf(row({ runtime_config })));
    const [id] = await containersOf(process.pid);
    const { Config, HostConfig, NetworkSettings } = await (await daemon()).getContainer(id ?? '').inspect();

    expect(lease.address).toMatch(/^tcp:\/\/127\.0\.0\.1:\d+$/);
    expect(Object.entries(NetworkSettings.Ports)).toEqual([
      ['8765/tcp', [{ HostIp: '127.0.0.1', HostPort: new URL(lease.address ?? '').port }]],
    ]);
    expect(Config.Env).toEqual(expect.arrayContaining(['HUD_TELEMETRY_ENABLED=false', 'PYTHONPATH=/packages']));
    expect(HostConfig).toMatchObject({
      Memory: 600 * 1024 * 1024,
      NanoCpus: 1.5e9,
      PidsLimit: 120,
      Privileged: false,
      SecurityOpt: ['no-new-privileges'],
    });
    await lease.release();
    expect(placement.running()).toHaveLength(1);
  });

  test('that ends, is not reachable, or is missing says so with its last output, and is removed', async () => {
    const silent = 'import sys; print("no licence"); sys.exit(3)';
    const unreachable = 'import time; print("HUD_SERVE_PORT=8765", flush=True); time.sleep(600)';
    const images: [string, string, RegExp][] = [
      ['ends', silent, /^The HUD environment \S+ ended \(exit code 3\)\. Last output:\n(?:.*\n)*no licence/],
      ['hidden', unreachable, /cannot be reached\. Its image must serve with --host 0\.0\.0\.0 --port 8765/],
    ];
    const { open } = place();
    const folder = await temporaryFolder();
    for (const [name, program, message] of images) {
      const dockerfile = join(folder, `${name}.Dockerfile`);
      await writeFile(dockerfile, `${PYTHON_BASE}CMD ${JSON.stringify(['python3', '-c', program])}\n`);
      await run('docker', ['build', '-q', '-t', `${IMAGE}-${name}`, '-f', dockerfile, folder]);
      await expect(open(taskOf(row({}, `${IMAGE}-${name}`)))).rejects.toMatchObject({
        code: 'start_failed',
        message: expect.stringMatching(message),
      });
    }
    await expect(open(taskOf(row({}, 'localhost:1/no-such-image')))).rejects.toMatchObject({
      code: 'no_image',
      message: expect.stringMatching(/^The image localhost:1\/no-such-image was not found and could not be pulled: /),
    });
    expect(await containersOf(process.pid)).toEqual([]);
  });

  test('has an image of the Dockerfile next to its code, without solutions, and another one after a change', async () => {
    const folder = await temporaryFolder();
    const of = taskOf({ env: 'lab', id: 'count' }, folder);
    const [docker, images] = [await daemon(), new Images(root)];
    const { signal } = new AbortController();
    const image = async (): Promise<string> => {
      const source = { hud: join(folder, 'env.py'), name: 'lab', ...serving };
      return (await servedImage(source, { docker, images, task: of, progress: () => {}, signal })).image;
    };
    await cp(HUD_LAB, join(folder, 'env.py'));
    await expect(image()).rejects.toThrow(/There is no Dockerfile\.hud in .*--placement local/);
    // Code with tasks is a task file, too, and solutions are not for environments.
    await writeFile(join(folder, 'Dockerfile.hud'), 'FROM debian:trixie-slim\nWORKDIR /app\nCOPY . .\n');
    await writeFile(join(folder, 'a.task.json'), JSON.stringify({ env: 'lab', id: 'count' }));
    await writeFile(join(folder, 'a.actions'), 'response("1")\n');

    const first = await image();

    onTestFinished(async () => removeImages(await imageTags(first.split(':')[0])));
    const { stdout } = await run('docker', ['run', '--rm', '--network', 'none', first, 'sh', '-c', 'ls *.*']);
    expect(stdout).toBe('Dockerfile.hud\nenv.py\n');
    expect(await image()).toBe(first);
    await writeFile(join(folder, 'env.py'), '# Another one\n');
    expect(await image()).not.toBe(first);
  });

  itLong('is built from the Dockerfile next to its code, and again after a change', async () => {
    const folder = await temporaryFolder();
    const { open, placement } = place();
    const of = taskOf({ env: 'lab', id: 'count' }, folder);
    await cp(HUD_LAB, join(folder, 'env.py'));
    await expect(open(of)).rejects.toThrow(/There is no Dockerfile\.hud in .*--placement local/);
    // Code with tasks is a task file, too, and solutions are not for environments.
    await writeFile(join(folder, 'Dockerfile.hud'), `FROM ${IMAGE}\nWORKDIR /app\nCOPY . .\n`);
    await writeFile(join(folder, 'a.task.json'), JSON.stringify({ env: 'lab', id: 'count' }));
    await writeFile(join(folder, 'a.actions'), 'response("1")\n');
    const progress = vi.fn();
    const first = await open(of, { progress });
    const again = await open(of);
    await writeFile(join(folder, 'env.py'), `from hud import Environment, Task\n\nenv = Environment(name="lab")\n`);
    const changed = await open(of);

    expect(progress.mock.calls.flat()).toContain('Building the image');
    expect(again.address).toBe(first.address);
    expect(changed.address).not.toBe(first.address);
    const ids = placement.running().map(({ id }) => id);
    const listed = await Promise.all(ids.map((id) => run('docker', ['exec', id, 'sh', '-c', 'ls *.*'])));
    expect(listed.map(({ stdout }) => stdout)).toEqual(['Dockerfile.hud\nenv.py\n', 'Dockerfile.hud\nenv.py\n']);
    await Promise.all([first.release(), again.release(), changed.release()]);
    await placement.dispose();
    const name = createHash('sha256').update(folder).digest('hex').slice(0, 8);
    const built = await imageTags(`taskwright-custom-${name}`);
    expect(built).toHaveLength(2);
    await removeImages(built);
  });

  itLong('is debugged at its row: stops before the start and before the grade', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, 'lab.tasks.jsonl');
    await writeFile(path, `${JSON.stringify(row({ slug: 'one' }))}\n`);
    await writeFile(join(folder, 'one.actions'), 'response("1")\n');
    const { client, child, ended, launch, next } = editor(folder);
    const first = await launch({ task: `${path}#one` }, { source: { path }, breakpoints: [{ line: 1 }] });
    expect(first).toBe('start: count({"word":"abc","letter":"a"})');
    expect(await containersOf(child.pid)).toHaveLength(1);
    expect(await next(() => client.continueRequest({ threadId: 1 }))).toBe('grade()');
    const over = client.waitForEvent('terminated', 120_000);
    await client.continueRequest({ threadId: 1 });
    await over;
    child.stdin.end();
    expect(await ended).toMatchObject({ code: 0 });
    expect(await containersOf(child.pid)).toEqual([]);
  });

  test('ends with its owner, even if that is killed', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'count.task.json'), JSON.stringify(row()));
    const args = ['run', 'count.task.json', '--agent', 'process:sleep 1000', '--verbose'];
    const { child, ended, saying } = start(args, folder);
    await saying('HUD_SERVE_PORT=8765');
    expect(await containersOf(child.pid)).toHaveLength(1);
    child.kill('SIGKILL');
    await ended;
    await nothingLeftOf(child.pid);
  });
});

describe('a HUD environment in a Compose project', () => {
  const row = { env: 'lab', id: 'raises_setup', runtime_config: { compose: { document: 'compose.yaml' } } };
  const database = {
    image: 'debian:trixie-slim',
    command: ['sh', '-c', 'touch /ready; sleep 1000'],
    ports: ['127.0.0.1::80'],
    healthcheck: { test: ['CMD', 'test', '-e', '/ready'], interval: '1s' },
    volumes: ['kept:/kept'],
  };

  async function projectIn(folder: string, services: object): Promise<void> {
    await writeFile(join(folder, 'compose.yaml'), JSON.stringify({ services, volumes: { kept: {} } }));
    await writeFile(join(folder, 'a.task.json'), JSON.stringify(row));
  }
  /** The networks and volumes of a process. */
  async function leftOf(pid = process.pid): Promise<string[]> {
    const docker = await daemon();
    const filters = { label: [OWNER_LABEL] };
    const { Volumes } = await docker.listVolumes({ filters });
    const parts = [...(await docker.listNetworks({ filters })), ...Volumes];
    const owner = new RegExp(`"pid":${pid}\\b`);
    return parts.filter(({ Labels }) => owner.test(Labels?.[OWNER_LABEL] ?? '')).map(({ Name }) => Name);
  }

  itLong('says its templates before a run, and is gone then', async () => {
    vi.stubEnv('DOCKER_CONFIG', await withCompose());
    onTestFinished(() => void vi.unstubAllEnvs());
    const folder = await temporaryFolder();
    await projectIn(folder, { main: { image: IMAGE, pull_policy: 'always' }, database });
    expect(await templatesOf({ hudCompose: join(folder, 'compose.yaml'), ...serving })).toContain('count');
    expect([...(await containersOf(process.pid)), ...(await leftOf())]).toEqual([]);
  });

  test('is found before a run if its images are here and none is built, in another version after a change', async () => {
    vi.stubEnv('DOCKER_CONFIG', await withCompose());
    onTestFinished(() => void vi.unstubAllEnvs());
    const folder = await temporaryFolder();
    const found = () => findPresent({ hudCompose: join(folder, 'compose.yaml'), ...serving }, finding);
    await projectIn(folder, { main: { image: IMAGE, pull_policy: 'always' }, database });
    const { version } = (await found()) ?? {};
    expect(version).toBeDefined();
    await projectIn(folder, { main: { image: IMAGE, environment: { LEVEL: '2' } } });
    expect((await found())?.version).not.toBe(version);
    await projectIn(folder, { main: { image: IMAGE, build: '.' } });
    expect(await found()).toBeNull();
    await projectIn(folder, { main: { image: IMAGE }, database: { image: 'localhost:1/no-such-image' } });
    expect(await found()).toBeNull();
    expect([...(await containersOf(process.pid)), ...(await leftOf())]).toEqual([]);
  });

  itLong('serves runs at the same time from one start, and is gone with their placement', async () => {
    vi.stubEnv('DOCKER_CONFIG', await withCompose());
    onTestFinished(() => void vi.unstubAllEnvs());
    const folder = await temporaryFolder();
    const { open, placement } = place();
    await projectIn(folder, { main: { image: IMAGE }, database });
    const first = await open(taskOf(row, folder));
    const second = await open(taskOf(row, folder));
    expect(second.address).toBe(first.address);
    expect(await containersOf(process.pid)).toHaveLength(2);
    await Promise.all([first.release(), second.release()]);
    await placement.dispose();
    expect([...(await containersOf(process.pid)), ...(await leftOf())]).toEqual([]);
  });

  test('is started with its services, publishes one port alone, and ends even if its owner is killed', async () => {
    const folder = await temporaryFolder();
    await projectIn(folder, { main: { image: IMAGE, ports: ['8080:80'] }, database });
    const args = ['run', 'a.task.json', '--agent', 'process:sleep 1000', '--verbose'];
    const { child, ended, saying } = start(args, folder, { DOCKER_CONFIG: await withCompose() });
    await saying('HUD_SERVE_PORT=8765');
    const docker = await daemon();
    const ports = await Promise.all(
      (await containersOf(child.pid)).map(async (id) => {
        const { NetworkSettings } = await docker.getContainer(id).inspect();
        return Object.values(NetworkSettings.Ports).flatMap((all) => all ?? []);
      }),
    );
    expect(ports).toHaveLength(2);
    expect(ports.flat()).toEqual([{ HostIp: '127.0.0.1', HostPort: expect.stringMatching(/^\d+$/) }]);
    expect(await leftOf(child.pid)).toHaveLength(2);

    child.kill('SIGKILL');
    await ended;
    await nothingLeftOf(child.pid);
    await expect.poll(() => leftOf(child.pid), { timeout: 120_000 }).toEqual([]);
  }, 300_000);

  test('that cannot be started says why, and leaves nothing', async () => {
    vi.stubEnv('DOCKER_CONFIG', await withCompose());
    onTestFinished(() => void vi.unstubAllEnvs());
    const folder = await temporaryFolder();
    const failing: [object, RegExp][] = [
      [
        { main: { image: 'debian:trixie-slim', command: 'sh -c "echo no licence; exit 3"' } },
        /ended \(exit code 3\)\. Last output:\nno licence$/,
      ],
      [{ database }, /has no service “main”, which serves the environment; it has “database”/],
      [{ main: { image: IMAGE, wrong: 1 } }, /could not be started \(exit code \d+\)\. Last output:\n.*wrong/s],
    ];
    const { open } = place();
    for (const [services, message] of failing) {
      await projectIn(folder, services);
      await expect(open(taskOf(row, folder))).rejects.toMatchObject({
        code: 'start_failed',
        message: expect.stringMatching(message),
      });
    }
    expect([...(await containersOf(process.pid)), ...(await leftOf())]).toEqual([]);
  }, 300_000);
});

/** A row of HUD 0.4 whose server is a program that docker runs in a container. */
function rowOfServer(command: string, args: readonly string[]) {
  return {
    prompt: 'Count to 1.',
    mcp_config: { local: { command, args } },
    integration_test_tool: { name: 'act' },
    evaluate_tool: { name: 'evaluate', arguments: { target: 1 } },
  };
}

describe('a server of HUD 0.4', () => {
  const label = `taskwright-test-hud=${process.pid}`;
  const served = (program: string) =>
    rowOfServer('docker', ['run', '--rm', '-i', '--label', label, IMAGE, 'python3', '-c', program]);
  const listed = async (): Promise<string> =>
    (await run('docker', ['ps', '--all', '--quiet', '--filter', `label=${label}`])).stdout;
  const inDocker = ['--placement', 'docker', '--agent', 'integration_test', '--json'];

  itLong('that docker run starts runs in Docker, too', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'a.task.json'), JSON.stringify(served(COUNTER)));
    const { out, err } = await start(['run', 'a.task.json', ...inDocker], folder).ended;
    const { runs } = JSON.parse(out) as { runs: readonly Run[] };
    expect(runs[0], err).toMatchObject({ status: 'completed', reward: 1 });
    expect(await listed()).toBe('');
  });

  test('that is a program of this machine does not run in Docker', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'b.task.json'), JSON.stringify(rowOfServer('python3', ['server.py'])));
    const { out } = await start(['run', 'b.task.json', ...inDocker], folder).ended;
    const { runs } = JSON.parse(out) as { runs: readonly Run[] };
    expect(runs[0]?.error?.message).toMatch(
      /or a program of this machine\. Run the task on this machine \(`--placement local`\)\./,
    );
  });

  test('that docker run starts is gone with its owner', async () => {
    const folder = await temporaryFolder();
    // As the first process of its container, it ignores SIGTERM, and that its input ends.
    const deaf = served('import time; time.sleep(1000)');
    await writeFile(join(folder, 'c.task.json'), JSON.stringify(deaf));
    const { child, ended } = start(['run', 'c.task.json', '--agent', 'process:sleep 1000'], folder);
    await expect.poll(listed, { timeout: 120_000 }).not.toBe('');
    child.kill('SIGKILL');
    await ended;
    await expect.poll(listed, { timeout: 120_000 }).toBe('');
  }, 300_000);
});
