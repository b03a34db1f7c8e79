import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DockerChoice } from '../../../src/cli/command.ts';
import { ServerError } from '../../../src/placement/placement.ts';
import { FakePlacement, seen, verdict } from '../runs/fake-placement.ts';
import { fileIn, temporaryFolder } from '../runs/tasks.ts';
import { taskwright } from './command-line.ts';
import { shop } from './shop.ts';

describe('taskwright run', () => {
  it('prints each verdict with its reasons and the path of the trace', async () => {
    const { cwd } = await shop();
    const placement = new FakePlacement({
      evaluate: (call) =>
        call.function === 'url_match' ? verdict(0, 'the address is about:blank') : verdict(1, 'on the page'),
    });
    const said = await taskwright(['run', 'shop.tasks.json#buy', '--agent', 'noop'], { cwd, placement });
    expect(said.exit).toBe(1);
    expect(said.out).toMatch(/^✗ 0\.50 +buy +0 steps/m);
    expect(said.out).toMatch(/^ {4}✓ 1\.00 +page_contains\("Thank you"\) +on the page$/m);
    expect(said.out).toMatch(/^ {4}✗ 0\.00 +url_match\("done"\) +the address is about:blank$/m);
    expect(said.err).toContain('0 of 1 passed');
    expect(placement.disposed).toBe(true);
  });

  it('with --json prints one value of the documented shape, and nothing else on standard output', async () => {
    const { cwd, file } = await shop();
    const said = await taskwright(['run', 'shop.tasks.json#buy', '--agent', 'noop', '--json', '--seed', '5'], { cwd });
    expect(said.exit).toBe(0);
    const { job_id, runs } = JSON.parse(said.out);
    expect(runs).toHaveLength(1);
    expect(Object.keys(runs[0]).sort()).toEqual(
      [
        'run_id',
        'task_id',
        'file',
        'group_id',
        'agent',
        'seed',
        'status',
        'reward',
        'success',
        'truncated',
        'error',
        'steps',
        'duration_ms',
        'started_at',
        'trace_dir',
      ].sort(),
    );
    expect(runs[0]).toMatchObject({
      task_id: 'buy',
      file,
      agent: 'noop',
      seed: 5,
      status: 'completed',
      reward: 1,
      success: true,
      error: null,
    });
    expect(runs[0].trace_dir).toBe(join(cwd, '.taskwright', 'jobs', job_id, runs[0].run_id));
    expect(await readFile(join(cwd, '.taskwright', '.gitignore'), 'utf8')).toBe('*\n');
  });

  it('distributes runs over the Docker hosts of --hosts', async () => {
    const { cwd } = await shop();
    const hosts: (readonly string[])[] = [];
    const args = ['run', 'shop.tasks.json#buy', '--agent', 'noop', '--placement', 'docker', '--hosts'];
    const onDocker = (choice: DockerChoice): void => void hosts.push(choice.hosts);
    expect(await taskwright([...args, 'ssh://a, b'], { cwd, onDocker })).toMatchObject({ exit: 0 });
    expect(hosts).toEqual([['ssh://a', 'b']]);
    const said = await taskwright([...args, 'a,,b', '--json'], { cwd });
    expect(JSON.parse(said.out)).toMatchObject({ error: { code: 'bad_option' } });
  });

  it('makes as many runs at the same time as a swarm has lanes', async () => {
    const { cwd } = await shop();
    const choices: DockerChoice[] = [];
    const onDocker = (choice: DockerChoice): void => void choices.push(choice);
    const args = ['run', 'shop.tasks.json#buy', '--agent', 'noop', '--group', '7', '--placement', 'swarm'];
    const placement = new FakePlacement({}, 'swarm');

    await taskwright([...args, '--lanes', '5', '--registry', 'r.example.com/me'], { cwd, onDocker, placement });
    await taskwright([...args, '--concurrency', '3'], { cwd, onDocker, placement: new FakePlacement({}, 'swarm') });

    expect(choices).toEqual([
      { hosts: [], lanes: 5, registry: 'r.example.com/me', namespace: null },
      { hosts: [], lanes: 3, registry: null, namespace: null },
    ]);
    const said = await taskwright([...args.slice(0, -1), 'docker', '--lanes', '2', '--json'], { cwd });
    expect(JSON.parse(said.out)).toMatchObject({ error: { code: 'bad_option' } });
  });

  it('needs a registry to run in Kubernetes', async () => {
    const { cwd } = await shop();
    const choices: DockerChoice[] = [];
    const onDocker = (choice: DockerChoice): void => void choices.push(choice);
    const args = ['run', 'shop.tasks.json#buy', '--agent', 'noop', '--lanes', '2', '--placement'];
    const placement = new FakePlacement({}, 'kubernetes');

    const { out } = await taskwright([...args, 'kubernetes', '--json'], { cwd });
    await taskwright([...args, 'kubernetes', '--registry', 'r.example.com/me', '--namespace', 'mine'], {
      ...{ cwd, onDocker, placement },
    });

    expect(JSON.parse(out)).toMatchObject({
      error: { code: 'bad_option', message: expect.stringContaining('--registry') },
    });
    expect(choices).toEqual([{ hosts: [], lanes: 2, registry: 'r.example.com/me', namespace: 'mine' }]);
    const said = await taskwright([...args, 'swarm', '--namespace', 'mine', '--json'], { cwd });
    expect(JSON.parse(said.out)).toMatchObject({ error: { code: 'bad_option' } });
  });

  it('reports a task that cannot run with the messages of validate, and runs the others', async () => {
    const { cwd } = await shop();
    const findings: { severity: string }[] = JSON.parse((await taskwright(['validate', '.', '--json'], { cwd })).out);
    const error = findings.find((finding) => finding.severity === 'error') as unknown as Record<string, unknown>;
    const said = await taskwright(['run', '.', '--agent', 'noop', '--json'], { cwd });
    expect(said.exit).toBe(2);
    const { runs } = JSON.parse(said.out);
    expect(runs.map((run: { task_id: string; status: string }) => [run.task_id, run.status])).toEqual([
      ['buy', 'completed'],
      ['typo', 'error'],
      ['ask', 'completed'],
    ]);
    expect(runs[1]).toMatchObject({
      reward: null,
      success: false,
      trace_dir: null,
      steps: 0,
      error: { message: error['message'], code: error['code'], file: error['file'], range: error['range'] },
    });
  });

  it('uses the solution of the task if no agent is specified', async () => {
    const { cwd } = await shop();
    await fileIn(cwd, 'buy.actions', "click('#buy')\nclick('#pay')\n");
    const said = await taskwright(['run', 'shop.tasks.json#buy', '--json'], { cwd });
    expect(JSON.parse(said.out).runs[0]).toMatchObject({ steps: 2, status: 'completed' });
  });

  it('lists the agents if there is no solution either', async () => {
    const { cwd } = await shop();
    const said = await taskwright(['run', 'shop.tasks.json#ask', '--json'], { cwd });
    expect(said.exit).toBe(2);
    expect(JSON.parse(said.out)).toMatchObject({
      error: { code: 'no_agent', message: expect.stringContaining('replay:FILE') },
    });
  });

  it('runs the tasks that have a solution, and names those that have none', async () => {
    const { cwd } = await shop();
    await fileIn(cwd, 'buy.actions', "click('#buy')\n");
    const said = await taskwright(['run', '.', '--json'], { cwd });
    expect(said.exit).toBe(2);
    const withoutSolution = expect.stringMatching(/#ask has no solution\. Write one, or specify an agent\.$/);
    expect(JSON.parse(said.out).runs).toMatchObject([
      { task_id: 'buy', status: 'completed' },
      { task_id: 'typo', error: { code: 'unknown-function' } },
      { task_id: 'ask', status: 'error', trace_dir: null, error: { code: 'no_agent', message: withoutSolution } },
    ]);
  });

  it('repeats a task with one group and one seed, several at once', async () => {
    const { cwd } = await shop();
    let running = 0;
    let most = 0;
    const together = Promise.withResolvers<void>();
    const placement = new FakePlacement({
      evaluate: async () => {
        running += 1;
        most = Math.max(most, running);
        if (running === 3) together.resolve();
        // Nobody goes on before three are at it: one after the other would never end.
        await together.promise;
        running -= 1;
        return verdict(1);
      },
    });
    const args = [
      'run',
      'shop.tasks.json#buy',
      'shop.tasks.json#ask',
      '--agent',
      'noop',
      '--group',
      '3',
      '--concurrency',
      '3',
      '--json',
    ];
    const said = await taskwright(args, { cwd, placement });
    expect(said.exit).toBe(0);
    const runs: { task_id: string; group_id: string; seed: number; run_id: string }[] = JSON.parse(said.out).runs;
    expect(runs.map((run) => run.task_id)).toEqual(['buy', 'buy', 'buy', 'ask', 'ask', 'ask']);
    expect(new Set(runs.map((run) => run.group_id)).size).toBe(2);
    expect(new Set(runs.map((run) => run.run_id)).size).toBe(6);
    expect(new Set(runs.map((run) => run.seed))).toEqual(new Set([0]));
    expect(most).toBe(3);
  });

  it('writes runs to the given folder, and a JUnit report', async () => {
    const { cwd } = await shop();
    const args = ['run', 'shop.tasks.json', '--agent', 'noop', '--out', 'records', '--junit', 'reports/junit.xml'];
    expect((await taskwright(args, { cwd })).exit).toBe(2);
    expect(await readFile(join(cwd, 'reports', 'junit.xml'), 'utf8')).toContain('tests="3" failures="0" errors="1"');
    await expect(stat(join(cwd, '.taskwright'))).rejects.toThrow('ENOENT');
    expect((await stat(join(cwd, 'records'))).isDirectory()).toBe(true);
  });

  it('writes each run as a trace of HUD, which show reads back', async () => {
    const { cwd } = await shop();
    const args = ['run', 'shop.tasks.json', '--agent', 'noop', '--group', '2', '--json', '--hud-traces', 'out/hud'];
    const { out } = await taskwright(args, { cwd });
    const { runs } = JSON.parse(out) as { runs: { task_id: string; trace_dir: string | null }[] };
    const traced = runs.filter(({ trace_dir }) => trace_dir !== null);
    expect(traced).toHaveLength(4);
    const names = await readdir(join(cwd, 'out', 'hud'));
    expect(names).toHaveLength(4);
    const shown = JSON.parse((await taskwright(['show', 'out/hud', '--json'], { cwd })).out) as { task_id: string }[];
    expect(shown.map(({ task_id }) => task_id).sort()).toEqual(traced.map(({ task_id }) => task_id).sort());
  });

  it('refuses a folder for traces that cannot be made before anything runs', async () => {
    const { cwd } = await shop();
    await fileIn(cwd, 'taken', '');
    const args = ['run', 'shop.tasks.json#buy', '--agent', 'noop', '--hud-traces', 'taken/hud'];
    const { exit, err } = await taskwright(args, { cwd });
    expect(exit).toBe(2);
    expect(err).toContain(`The folder ${join(cwd, 'taken', 'hud')} cannot be written`);
    await expect(stat(join(cwd, '.taskwright'))).rejects.toThrow('ENOENT');
  });

  it.each([
    [1, 1, 0],
    [2, 2, 0],
    [2, 1, 1],
    [9, 2, 2],
  ])('of %i runs, %i at a time, has %i environments kept ready', async (group, concurrency, expected) => {
    const { cwd } = await shop();
    const kept: number[] = [];
    const numbers = ['--group', String(group), '--concurrency', String(concurrency)];
    await taskwright(['run', 'shop.tasks.json#buy', '--agent', 'noop', ...numbers], {
      cwd,
      onReady: (count) => kept.push(count),
    });
    expect(kept).toEqual([expected]);
  });

  it('prints rewards relative to the other runs of a task', async () => {
    const { cwd } = await shop();
    let evaluated = 0;
    const placement = new FakePlacement({ evaluate: () => verdict(evaluated++ < 2 ? 0 : 1) });
    const args = ['run', 'shop.tasks.json#buy', '--agent', 'noop', '--group', '2', '--concurrency', '1', '--json'];
    const of = async (more: readonly string[]) => {
      const { out } = await taskwright([...args, ...more], { cwd, placement });
      const { runs } = JSON.parse(out) as { runs: { reward: number; group_relative?: number }[] };
      return runs.map(({ reward, group_relative }) => [reward, group_relative]);
    };
    expect(await of([])).toEqual([
      [0, -1],
      [1, 1],
    ]);
    expect(await of(['--group', '1'])).toEqual([[1, undefined]]);
  });

  it('passes on its limits', async () => {
    const { cwd } = await shop();
    await fileIn(cwd, 'a.actions', 'a\nb\nc');
    const placement = new FakePlacement();
    const args = [
      'run',
      'shop.tasks.json#buy',
      '--agent',
      'replay:a.actions',
      '--max-steps',
      '2',
      '--evaluate-timeout',
      '1.5',
      '--json',
    ];
    const said = await taskwright(args, { cwd, placement });
    expect(JSON.parse(said.out).runs[0]).toMatchObject({ steps: 2, truncated: true });
    expect(placement.requests.find((request) => request.method === 'session.evaluate')?.params).toMatchObject({
      limit_ms: 1500,
    });
  });

  it('when interrupted cancels the runs in progress, starts no others, and exits with 130', async () => {
    const { cwd } = await shop();
    const interrupt = new AbortController();
    const placement = new FakePlacement({
      step: () => {
        interrupt.abort();
        return seen('x');
      },
    });
    await fileIn(cwd, 'a.actions', 'a\nb\nc');
    const addresses = ['shop.tasks.json#buy', 'shop.tasks.json#ask'];
    const args = ['run', ...addresses, '--agent', 'replay:a.actions', '--concurrency', '1', '--json'];
    const said = await taskwright(args, { cwd, placement, signal: interrupt.signal });
    expect(said.exit).toBe(130);
    expect(JSON.parse(said.out).runs).toMatchObject([
      { task_id: 'buy', status: 'cancelled', steps: 1, reward: 1 },
      { task_id: 'ask', status: 'cancelled', steps: 0, reward: null, trace_dir: null, error: null },
    ]);
    expect(placement.sessions.size).toBe(0);
  });

  it('counts an unreadable file as a task that cannot run', async () => {
    const { cwd } = await shop();
    const file = await fileIn(cwd, 'broken.tasks.json', '{{{');
    const said = await taskwright(['run', 'shop.tasks.json#ask', 'broken.tasks.json', '--agent', 'noop', '--json'], {
      cwd,
    });
    expect(said.exit).toBe(2);
    const { runs } = JSON.parse(said.out);
    expect(runs).toMatchObject([
      { task_id: 'ask', status: 'completed' },
      { file, status: 'error', trace_dir: null },
    ]);
  });
});

describe('where tasks run', () => {
  const WISHES = `[
    {"id": "boxed", "gym": "qa", "prompt": "x", "evaluate": ["response_is", "x"], "metadata": {"placement": "docker"}},
    {"id": "free", "gym": "qa", "prompt": "x", "evaluate": ["response_is", "x"]}
  ]`;
  const kinds = () => ({ local: new FakePlacement({}, 'local'), docker: new FakePlacement({}, 'docker') });
  const sessions = (placement: FakePlacement): number =>
    placement.methods.filter((method) => method === 'session.open').length;

  it('is the placement of each task, which the trace records', async () => {
    const cwd = await temporaryFolder();
    await fileIn(cwd, 'wishes.tasks.json', WISHES);
    const placements = kinds();
    const said = await taskwright(['run', '.', '--agent', 'noop', '--json'], { cwd, placements });
    expect(said.exit).toBe(0);
    expect([sessions(placements.docker), sessions(placements.local)]).toEqual([1, 1]);
    const traces: string[] = JSON.parse(said.out).runs.map((run: { trace_dir: string }) => run.trace_dir);
    const headers = await Promise.all(traces.map((dir) => readFile(join(dir, 'trace.jsonl'), 'utf8')));
    expect(headers.map((text) => JSON.parse(text.split('\n')[0] ?? '').runtime)).toEqual(['docker', 'local']);
    expect([placements.docker.disposed, placements.local.disposed]).toEqual([true, true]);
  });

  it.each(['local', 'docker'] as const)('is overridden by --placement %s', async (kind) => {
    const cwd = await temporaryFolder();
    await fileIn(cwd, 'wishes.tasks.json', WISHES);
    const placements = kinds();
    await taskwright(['run', '.', '--agent', 'noop', '--placement', kind], { cwd, placements });
    expect(sessions(placements[kind])).toBe(2);
    expect(sessions(placements[kind === 'local' ? 'docker' : 'local'])).toBe(0);
  });

  it('a terminal shows the progress in one line; without Docker the error explains what to do, exit code 1', async () => {
    const { cwd } = await shop();
    const failing = new FakePlacement(
      {
        open: async ({ progress }) => {
          progress('Building the image: step 3 of 9');
          throw new ServerError('docker_missing', 'No Docker was found. Choose --placement local.');
        },
      },
      'docker',
    );
    const args = ['run', 'shop.tasks.json#ask', '--agent', 'noop', '--placement', 'docker'];
    const said = await taskwright(args, { cwd, placement: failing, terminal: true });
    expect(said.exit).toBe(1);
    expect(said.err).toContain('0/1  ask Building the image: step 3 of 9');
    expect(said.out).toContain('No Docker was found. Choose --placement local. (docker_missing)');
  });
});
