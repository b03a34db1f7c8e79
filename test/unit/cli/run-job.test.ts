import { describe, expect, it } from 'vitest';
import { ServerError } from '../../../src/placement/placement.ts';
import { FakePlacement, seen, verdict } from '../runs/fake-placement.ts';
import { taskwright } from './command-line.ts';
import { shop } from './shop.ts';

describe('taskwright run, of a job', () => {
  const ASK = ['run', 'shop.tasks.json#ask', '--agent', 'noop'];

  it('counts its runs with their spread', async () => {
    const { cwd } = await shop();
    let asked = 0;
    const placement = new FakePlacement({ evaluate: () => verdict(asked++ < 2 ? 1 : 0) });
    const said = await taskwright([...ASK, '--group', '4', '--concurrency', '1', '--json'], { cwd, placement });
    expect(said.exit).toBe(1);
    expect(JSON.parse(said.out)).toMatchObject({
      runs: [{ reward: 1 }, { reward: 1 }, { reward: 0 }, { reward: 0 }],
      statistics: { runs: 4, graded: 4, successes: 2, mean_reward: 0.5, std_reward: 0.5, success_rate: 0.5 },
    });
    expect(said.err).toMatch(/2 of 4 passed · success rate 50 % \(95 % CI 15 %–85 %\) · mean reward 0\.50 ± 0\.50/);
    expect(said.err).toContain('pass@2 83 % · pass@4 100 %');
  });

  it('shows the progress on each host, also of runs that go from one to another', async () => {
    const { cwd } = await shop();
    let opened = 0;
    const placement = new FakePlacement({
      get lease() {
        opened += 1;
        return { host: opened % 2 === 1 ? 'build-1' : 'build-2' };
      },
      evaluate: () => {
        if (opened === 2) throw new ServerError('container_died', 'The container has ended.');
        return verdict(1);
      },
    });
    const args = [...ASK, '--group', '3', '--concurrency', '1', '--json'];
    const said = await taskwright(args, { cwd, placement, terminal: true });
    const runs = JSON.parse(said.out).runs as { host: string }[];
    expect(runs.map(({ host }) => host)).toEqual(['build-1', 'build-1', 'build-2']);
    expect(said.err).toContain('] 0/3  build-1: 1 running, 0 ended');
    expect(said.err).toContain('] 1/3  build-1: 1 ended · build-2: 1 running, 0 ended');
    expect(said.err).toContain('] 1/3  build-1: 1 running, 1 ended');
    expect(said.err).toMatch(/3 of 3 passed.*\nbuild-1: 2 ended · build-2: 1 ended\n/);
  });

  it('gives the repeats of a task the same seed, or consecutive ones', async () => {
    const { cwd } = await shop();
    const seeds = async (...options: string[]) => {
      const placement = new FakePlacement({ evaluate: () => verdict(1) });
      const { out } = await taskwright([...ASK, '--group', '3', '--json', ...options], { cwd, placement });
      return JSON.parse(out).runs.map(({ seed }: { seed: number }) => seed);
    };
    expect(await seeds('--seed', '7')).toEqual([7, 7, 7]);
    expect(await seeds('--seed', '7', '--seeds', 'consecutive')).toEqual([7, 8, 9]);
    const wrong = await taskwright([...ASK, '--seeds', 'random'], { cwd });
    expect(wrong).toMatchObject({ exit: 2, err: expect.stringContaining('--seeds requires same or consecutive') });
  });

  it('explains how to resume after Ctrl+C, and resumes without repeating finished runs', async () => {
    const { cwd } = await shop();
    const interrupt = new AbortController();
    let ended = 0;
    const stopping = new FakePlacement({
      evaluate: () => {
        ended += 1;
        if (ended === 3) interrupt.abort();
        return verdict(1);
      },
    });
    const args = [...ASK, '--group', '5', '--concurrency', '1', '--json'];
    const first = await taskwright(args, { cwd, placement: stopping, signal: interrupt.signal });
    expect(first.exit).toBe(130);
    const { job_id, runs } = JSON.parse(first.out);
    const way = /(\d) runs left: taskwright run --resume (\S+)/.exec(first.err);
    const [, left, folder = ''] = way ?? [];
    expect(left).toBe('3');
    const placement = new FakePlacement();
    const again = await taskwright(['run', '--resume', folder, '--json'], { cwd, placement });
    expect(again).toMatchObject({ exit: 0, err: expect.stringContaining('2 of 5 runs are finished') });
    const result = JSON.parse(again.out);
    expect(result).toMatchObject({ job_id, statistics: { runs: 5, successes: 5 } });
    expect(result.runs.slice(0, 2)).toEqual(runs.slice(0, 2));
    expect(result.runs.map((run: { run_id: string }) => run.run_id)).toEqual(
      runs.map((run: { run_id: string }) => run.run_id),
    );
    expect(placement.methods.filter((method) => method === 'session.open')).toHaveLength(3);
  });

  it('retries a run whose browser crashed, even a single one, up to the given number', async () => {
    const { cwd } = await shop();
    const crashing = () => {
      let resets = 0;
      return new FakePlacement({
        reset: () => {
          resets += 1;
          if (resets === 1) throw new ServerError('browser_crashed', 'The browser has crashed.');
          return { ...seen('start'), goal: null };
        },
      });
    };
    const run = async (...args: string[]) => taskwright([...ASK, ...args], { cwd, placement: crashing() });
    const several = await run('--group', '2', '--concurrency', '1');
    expect(several).toMatchObject({ exit: 0, err: expect.stringContaining('retrying: The browser has crashed.') });
    expect(several.out).toContain('attempt 2');
    expect(await run()).toMatchObject({ exit: 0, out: expect.stringContaining('attempt 2') });
    expect(await run('--retries', '0')).toMatchObject({ exit: 1 });
  });

  it('accepts no other options with --resume, and rejects a folder that is not a job', async () => {
    const { cwd } = await shop();
    const refused = async (...args: string[]) => {
      const said = await taskwright(['run', '--resume', 'nowhere', ...args, '--json'], { cwd });
      return [said.exit, JSON.parse(said.out).error.code];
    };
    expect(await refused()).toEqual([2, 'job_missing']);
    expect(await refused('--group', '2')).toEqual([2, 'bad_option']);
    expect(await refused('shop.tasks.json')).toEqual([2, 'bad_option']);
  });
});
