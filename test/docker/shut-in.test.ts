import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { task } from '../system/server/harness.ts';
import { builtImage, containersOf, daemon, place, temporaryFolder } from './harness.ts';

beforeAll(builtImage);

/** Carries out a line of shell in the only container there is; what it printed. */
async function inside(line: string): Promise<string> {
  const [id = ''] = await containersOf(process.pid);
  const docker = await daemon();
  const exec = await docker.getContainer(id).exec({ Cmd: ['sh', '-c', line], AttachStdout: true, AttachStderr: true });
  const stream = await exec.start({});
  let said = '';
  const hear = { write: (chunk: Buffer) => (said += chunk.toString('utf8')) };
  docker.modem.demuxStream(stream, hear as never, hear as never);
  await new Promise((resolve) => stream.once('end', resolve));
  return said;
}

/** A task file in a folder of its own, with a page beside it. */
async function taskOnDisk(mode: number, more = {}) {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'page.html'), '<p>First</p>');
  await chmod(folder, mode);
  const file = join(folder, 'some.task.json');
  return { folder, task: { ...task('', { initial_state: {}, ...more }), file } };
}

describe('what runs in a container', () => {
  test('is nobody, can write nothing that lasts, and has no way to more', async () => {
    const { open } = place();
    await open(task('<p>Hello</p>'));

    expect(await inside('id -u; id -g')).not.toMatch(/^0$/m);
    const status = await inside('cat /proc/1/status');
    expect(status).toMatch(/^CapEff:\s+0+$/m);
    expect(status).toMatch(/^CapBnd:\s+0+$/m);
    expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
    expect(status).toMatch(/^Seccomp:\s+2$/m);
    expect(await inside('touch /opt/taskwright/x /etc/x /x')).toMatch(/(Read-only file system[\s\S]*){3}/);
    expect(await inside('touch /tmp/x ~/x && echo fine')).toBe('fine\n');
    expect(await inside('ls /var/run/docker.sock /run/docker.sock; mount -t tmpfs none /mnt')).toMatch(
      /No such file[\s\S]*No such file[\s\S]*(permission denied|must be superuser|not permitted)/i,
    );
  });

  test("keeps the browser's own sandbox on", async () => {
    const { open, log } = place();
    const lease = await open(task('<p>Hello</p>'));
    const { session } = await lease.server.request('session.open', {});
    const params = { session, task: task('<p>Hello</p>'), files: lease.files, seed: 0 };
    await lease.server.request('session.reset', params);

    expect(log.join('\n')).not.toMatch(/started without/);
    // Renderers have a user namespace of their own, and a filter of system calls beyond the container's.
    const spaces = await inside('for p in /proc/[0-9]*; do readlink $p/ns/user; done | sort -u | wc -l');
    expect(Number(spaces)).toBeGreaterThan(1);
    expect(await inside('cat /proc/[0-9]*/cmdline | tr "\\0" " "')).not.toContain('--no-sandbox');
  });

  test('has the processors, memory and processes that the task says, and no network where it says so', async () => {
    const { open } = place({ limits: { cpus: 1 } });
    const limited = task('<p>Hello</p>', { metadata: { docker: { memory: 640, pids: 200, network: 'none' } } });
    await open(limited);

    const [id = ''] = await containersOf(process.pid);
    const { HostConfig } = await (await daemon()).getContainer(id).inspect();
    expect(HostConfig).toMatchObject({ NanoCpus: 1e9, Memory: 640 * 1024 ** 2, PidsLimit: 200, NetworkMode: 'none' });
    expect(await inside('ls /sys/class/net')).toBe('lo\n');
  });
});

describe("a task's folder", () => {
  test('is mounted read-only, so that an edit takes effect at the next reset of the same container', async () => {
    const { folder, task: some } = await taskOnDisk(0o755);
    const { open } = place();
    const lease = await open(some);
    const { session } = await lease.server.request('session.open', {});
    const text = async (): Promise<string> => {
      const params = { session, task: some, files: lease.files, seed: 0 };
      await lease.server.request('session.reset', params);
      const range = some.range;
      const call = { function: 'goto', args: ['page.html'], range };
      const outcome = await lease.server.request('session.setup', { session, call, limit_ms: 120_000 });
      return 'step' in outcome ? (outcome.step?.observation.text ?? '') : outcome.error.message;
    };
    expect(lease.files).toMatchObject({ folder: expect.any(String) });
    expect(await text()).toContain('First');

    await writeFile(join(folder, 'page.html'), '<p>Second</p>');

    expect(await text()).toContain('Second');
    const { folder: mounted } = lease.files as { folder: string };
    expect(await inside(`touch ${mounted}/x`)).toMatch(/Read-only file system/);
  });

  test('that nobody but its owner may read is handed over file by file', async () => {
    const { task: some } = await taskOnDisk(0o700);
    const { open } = place();

    const { files } = await open(some);

    // Who is no administrator runs as themselves in there, and may read it.
    if (process.getuid?.() === 0) expect(files).toHaveProperty('contents');
    else expect(files).toHaveProperty('folder');
  });
});

describe('containers that are kept ready', () => {
  test('are taken by the next run of the same folder, refilled, and end with their placement', async () => {
    const { task: some } = await taskOnDisk(0o755);
    const { placement, open } = place({ warm: 1 });
    const waiting = () => placement.running().filter(({ tasks }) => tasks.length === 0);
    const first = await open(some);
    await vi.waitFor(() => expect(waiting()).toHaveLength(1), { timeout: 120_000 });
    const [ready] = waiting();
    await first.release();

    await open(some);

    const busy = placement.running().filter(({ tasks }) => tasks.length > 0);
    expect(busy.map(({ id }) => id)).toEqual([ready?.id]);
    await vi.waitFor(() => expect(waiting()).toHaveLength(1), { timeout: 120_000 });
    expect(await waiting()[0]?.usage()).toMatchObject({ memoryLimit: 2048 * 1024 ** 2 });

    await placement.dispose();

    expect(placement.running()).toEqual([]);
    expect(await containersOf(process.pid)).toEqual([]);
  });

  test('are not for runs of other limits, and make room for those that are', async () => {
    const { task: some } = await taskOnDisk(0o755);
    const { placement, open } = place({ warm: 1 });
    const waiting = () => placement.running().filter(({ tasks }) => tasks.length === 0);
    await (await open(some)).release();
    await vi.waitFor(() => expect(waiting()).toHaveLength(1), { timeout: 120_000 });
    const [ready] = waiting();

    await open({ ...some, metadata: { docker: { cpus: 1 } } });

    expect(placement.running().find(({ tasks }) => tasks.length > 0)?.id).not.toBe(ready?.id);
    await vi.waitFor(async () => expect(await containersOf(process.pid)).not.toContain(ready?.id), {
      timeout: 120_000,
    });
  });
});
