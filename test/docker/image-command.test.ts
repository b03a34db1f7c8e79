import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeLong, itLong } from '../sample.ts';
import { start } from '../system/cli/program.ts';
import { dist, root } from '../system/programs.ts';
import { drive, hasOpenEnv } from '../system/serving/serving.ts';
import { builtImage, daemon, published, run, temporaryFolder } from './harness.ts';

const tag = `taskwright-test-${randomBytes(4).toString('hex')}:1.0`;
const solved = tag.replace(':1.0', ':solved');
let browserImage: string;
const folder = await mkdtemp(join(tmpdir(), 'taskwright-docker-'));
beforeAll(async () => {
  browserImage = await builtImage();
  // Those of MiniWoB++ need its pages, and have no solutions; desktops are not in the image of browsers.
  const filter = (path: string): boolean => !/examples[\\/](miniwob|desktop|openenv)/.test(path);
  await cp(join(root, 'examples'), folder, { recursive: true, filter });
  for (const more of [
    ['--tag', tag],
    ['--tag', solved, '--with-solutions'],
  ]) {
    const program = [join(dist, 'cli.js'), 'image', folder, '--json', ...more];
    const { stdout: out } = await run(process.execPath, program, { cwd: root });
    expect(JSON.parse(out)).toMatchObject({ tag: more[1], base: browserImage, files: expect.any(Number) });
  }
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  const docker = await daemon();
  for (const name of [tag, solved])
    await docker
      .getImage(name)
      .remove({ force: true })
      .catch(() => {});
});

/** What `docker run --rm` of an image comes to, started as a person would. */
function dockerRun(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    const program = execFile('docker', ['run', '--rm', ...args], { maxBuffer: 64 * 1024 * 1024 }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    });
    program.stdin?.end();
  });
}

test('An image with tasks in it lists, checks and runs them with no path named', async () => {
  const listed = JSON.parse((await dockerRun(tag, 'taskwright', 'list', '--json')).out) as { file: string }[];
  expect(listed.length).toBeGreaterThan(5);
  expect(listed.every(({ file }) => file.startsWith('/opt/taskwright/tasks/'))).toBe(true);
  expect(await dockerRun(tag, 'taskwright', 'validate', '--json')).toMatchObject({ code: 0 });

  const ran = await dockerRun(solved, 'taskwright', 'run', '--json');

  const { runs } = JSON.parse(ran.out) as { runs: { task_id: string; success: boolean }[] };
  // One of the examples fails on purpose.
  expect(runs.filter(({ success }) => !success)).toMatchObject([{ task_id: 'forgot-the-terms', reward: 0.25 }]);
  expect(runs.length).toBe(listed.length);
  expect(ran.code).toBe(1);
}, 300_000);

test('Solutions stay out of it where they are not asked for', async () => {
  const { out } = await dockerRun(tag, 'find', '/opt/taskwright/tasks', '-name', '*.actions');
  expect(out).toBe('');

  const { code, err } = await dockerRun(tag, 'taskwright', 'run');

  expect(code).toBe(2);
  expect(err).toContain('No task has a solution. Specify an agent with --agent');
});

const YES = { id: 'ask', gym: 'qa', prompt: 'Say yes.', evaluate: [['response_is', 'yes']] };

test('By itself it serves its tasks', async () => {
  const [reset, step] = await drive(await published(solved), [
    ['reset', { task: 'tidy-up' }],
    ['step', 'noop()'],
  ]);
  expect(reset).toMatchObject({ done: false });
  expect(step).toMatchObject({ reward: 0, done: false });
}, 300_000);

itLong(
  'By itself it serves a folder that is mounted where the RFC says, with a token if there is one',
  async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'ask.task.json'), JSON.stringify(YES));
    await chmod(folder, 0o755);
    const mounted = ['-v', `${folder}:/opt/openenv/custom_tasks:ro`];
    const url = await published(...mounted, browserImage);
    const answers = () =>
      drive(url, [
        ['reset', { task: 'ask' }],
        ['step', "send_msg_to_user('no')"],
      ]);
    expect((await answers()).at(-1)).toMatchObject({ reward: 0, done: true });
    // Changes count from the next reset.
    await writeFile(join(folder, 'ask.task.json'), JSON.stringify({ ...YES, evaluate: [['response_is', 'no']] }));
    expect((await answers()).at(-1)).toMatchObject({ reward: 1, done: true });

    const closed = await published(...mounted, '--env', 'TASKWRIGHT_TOKEN=secret', browserImage);
    expect((await fetch(`${closed}/state`)).status).toBe(401);
    expect((await fetch(`${closed}/state`, { headers: { authorization: 'Bearer secret' } })).status).toBe(200);
  },
  300_000,
);

describeLong('The container provider of OpenEnv', () => {
  test.runIf(hasOpenEnv)(
    'starts and stops it',
    async () => {
      const { stdout } = await run('python3', [
        join(root, 'test', 'fixtures', 'serving', 'provider.py'),
        ...[solved, 'capital-of-france', "send_msg_to_user('Paris')"],
      ]);
      const { container, ...result } = JSON.parse(stdout);
      expect(result).toEqual({ reward: 1, done: true });
      await expect((await daemon()).getContainer(container).inspect()).rejects.toThrow('no such container');
    },
    300_000,
  );
});

test('By itself, without tasks, it says what is missing', async () => {
  const { code, err } = await dockerRun(browserImage);
  expect(code).toBe(2);
  expect(err).toContain('Specify a task');
});

itLong('A folder that is mounted where the RFC says is taken without an image of its own', async () => {
  const folder = await temporaryFolder();
  await cp(join(root, 'examples', 'todo'), folder, { recursive: true });
  await chmod(folder, 0o755);
  // Inside there is no Docker, so what a task wishes does not count.
  const wish = { id: 'ask', gym: 'qa', prompt: 'Say yes.', evaluate: [['response_is', 'yes']] };
  await writeFile(join(folder, 'ask.task.json'), JSON.stringify({ ...wish, metadata: { placement: 'docker' } }));
  await writeFile(join(folder, 'ask.actions'), '{"type": "response", "text": "yes"}\n');

  const ran = await dockerRun(
    '-v',
    `${folder}:/opt/openenv/custom_tasks:ro`,
    browserImage,
    'taskwright',
    'run',
    '--json',
  );

  expect(JSON.parse(ran.out)).toMatchObject({
    runs: [
      { task_id: 'ask', success: true },
      { task_id: 'tidy-up', success: true },
    ],
  });
  expect(ran.code).toBe(0);
});

test('What Docker is asked for in vain is said', async () => {
  const made = start(['image', 'examples', '--json'], root, { DOCKER_HOST: 'unix:///nowhere/docker.sock' });

  const { code, out } = await made.ended;

  expect(code).toBe(1);
  expect(JSON.parse(out)).toMatchObject({ error: { code: 'docker_missing' } });
});
