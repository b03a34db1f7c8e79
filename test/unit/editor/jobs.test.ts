import { describe, expect, it } from 'vitest';
import {
  type JobRunState,
  type JobState,
  MAX_CELLS,
  presentHead,
  presentRows,
} from '../../../src/presentation/jobs/present.ts';
import { recordedJob } from '../../../src/presentation/jobs/recorded-job.ts';
import type { PlannedRun } from '../../../src/traces/job-file.ts';
import type { JobEntry } from '../../../src/traces/store.ts';
import type { Run } from '../../../src/traces/trace.ts';

function planned(task_id: string, repeat: number): PlannedRun {
  return {
    run_id: `${task_id}-${repeat}`,
    file: '/tasks/many.tasks.json',
    task_id,
    index: 0,
    group_id: `g-${task_id}`,
    seed: 0,
    agent: 'noop',
    placement: 'local',
    error: null,
  };
}

function result(of: PlannedRun, reward: number | null, more: Partial<Run> = {}): Run {
  return {
    run_id: of.run_id,
    task_id: of.task_id,
    file: of.file,
    group_id: of.group_id,
    agent: 'noop',
    seed: 0,
    status: 'completed',
    reward,
    success: reward === 1,
    truncated: false,
    error: null,
    steps: 2,
    duration_ms: 1500,
    started_at: '2026-01-01T00:00:01.000Z',
    trace_dir: `/jobs/j/${of.run_id}`,
    ...more,
  };
}

/** The runs of one task: a reward each; `null` waits, `'runs'` is under way, `'breaks'` is an error. */
function runsOf(task: string, ...ends: (number | null | 'runs' | 'breaks')[]): JobRunState[] {
  return ends.map((end, repeat) => {
    const plan = planned(task, repeat);
    if (end === null || end === 'runs') return { plannedRun: plan, result: null, reasons: '', running: end === 'runs' };
    if (end !== 'breaks') return { plannedRun: plan, result: result(plan, end), reasons: '', running: false };
    const error = { message: 'It threw.', code: 'call_threw' };
    return {
      plannedRun: plan,
      result: result(plan, null, { status: 'error', error }),
      reasons: error.message,
      running: false,
    };
  });
}

function job(...runs: JobRunState[][]): JobState {
  return {
    folder: '/jobs/j',
    startedAt: '2026-01-01T00:00:00.000Z',
    status: 'running',
    endedAt: null,
    runs: runs.flat(),
    concurrency: 2,
  };
}

const shown = (state: JobState): string[] =>
  [...presentRows(state)].sort((a, b) => a.sortRank - b.sortRank || a.place - b.place).map((row) => row.task);

/** Runs on hosts: under way, or ended with a reward. */
function on(host: string, runs: readonly JobRunState[]): JobRunState[] {
  return runs.map((run) => (run.result === null ? { ...run, host } : { ...run, result: { ...run.result, host } }));
}

describe('the progress on each host', () => {
  it('is shown, if there are several', () => {
    const runs = [on('ssh://me@build-1', runsOf('a', 'runs', 1, 0)), on('near', runsOf('b', 1)), runsOf('c', 1, null)];
    expect(presentHead(job(...runs)).chips).toEqual(
      expect.arrayContaining(['build-1: 1 running, 2 ended', 'near: 1 ended']),
    );
    expect(presentHead(job(runsOf('a', 1, 'runs'))).chips.join(' ')).not.toContain('ended');
  });

  it('of very many is their number', () => {
    const runs = Array.from({ length: 13 }, (_, host) => on(`host-${host}`, runsOf(`task-${host}`, 1)));
    expect(presentHead(job(...runs)).chips).toContain('13 hosts');
  });
});

describe('the grid of a job', () => {
  it('lists failures first, then running, then waiting, then passed runs', () => {
    const state = job(
      runsOf('passed', 1, 1),
      runsOf('waits', null, null),
      runsOf('runs', 'runs', null),
      runsOf('half', 0.5, 1),
      runsOf('failed', 0, 0),
      runsOf('broke', 1, 'breaks'),
      runsOf('passed-too', 1, 1),
    );
    expect(shown(state)).toEqual(['broke', 'failed', 'half', 'runs', 'waits', 'passed', 'passed-too']);
  });

  it('has a cell for each repeat, with accessible text', () => {
    const [row] = presentRows(job(runsOf('buy', 1, 0.5, 'breaks', 'runs', null)));
    expect(row).toMatchObject({ task: 'buy', title: 'many.tasks.json#buy', summary: '0.75 ± 0.25 of 2 graded' });
    expect(row?.cells.map(({ outcome, text, canOpen }) => [outcome, text, canOpen])).toEqual([
      ['pass', '1.00', true],
      ['partial', '0.50', true],
      ['error', 'error', true],
      ['running', '', true],
      ['waiting', '', false],
    ]);
    expect(row?.cells[1]?.accessibleText).toBe('partly passed, reward 0.50, 2 steps, 1.5 s');
    expect(row?.cells[2]?.accessibleText).toBe('error: call threw, 2 steps, 1.5 s, It threw.');
  });

  it('shows rewards relative to the other runs of a task that has several', () => {
    const rows = presentRows(job(runsOf('buy', 1, 0.5, 0, 'breaks', 'runs'), runsOf('once', 1)));
    expect(rows.map(({ cells }) => cells.map(({ relative }) => relative))).toEqual([
      ['+1.22', '0.00', '−1.22', null, null],
      [null],
    ]);
  });

  it('splits very many repeats of a task into rows', () => {
    const rows = presentRows(job(runsOf('often', ...Array.from({ length: 45 }, () => 1))));
    expect(rows.map((row) => [row.first, row.cells.length])).toEqual([
      [1, MAX_CELLS],
      [MAX_CELLS + 1, MAX_CELLS],
      [2 * MAX_CELLS + 1, 5],
    ]);
    expect(new Set(rows.map((row) => row.key)).size).toBe(3);
  });

  it('has figures over all runs', () => {
    const head = presentHead(job(runsOf('a', 1, 0, 0, 1), runsOf('b', 1, 1, 'runs', null)));
    expect(head).toMatchObject({ title: '2 tasks × 4', total: 8, ended: 6, running: 1, durationMs: null });
    expect(head.headline).toEqual({ text: '4 of 6 passed', kind: 'fail' });
    expect(head.chips).toEqual(['local', 'no-op', '2 in parallel']);
    expect(head.figures.map(({ name, value }) => `${name} ${value}`)).toEqual([
      'success rate 67 % (95 % CI 30 %–90 %)',
      'mean reward 0.67 ± 0.47',
      'pass@2 92 %',
      'pass@4 100 %',
    ]);
  });
});

describe('a job on disk', () => {
  const [first, second, third] = [planned('a', 0), planned('a', 1), planned('b', 0)];
  const entry = (runs: Run[], running = false): JobEntry => ({
    folder: '/jobs/j',
    startedAt: '2026-01-01T00:00:00.000Z',
    plan: { cwd: '/tasks', runs: [first, second, third] },
    running,
    runs: runs.map((run) => ({
      traceDir: run.trace_dir ?? '',
      jobId: 'j',
      run,
      agent: 'noop',
      running: false,
      reasons: '',
      writtenAt: 1,
    })),
    problems: [],
  });

  it('is not finished while runs of its plan are missing, interrupted or cancelled', () => {
    const whole = [result(first, 1), result(second, 0), result(third, 1)];
    expect(recordedJob(entry(whole))).toMatchObject({
      status: 'ended',
      endedAt: Date.parse('2026-01-01T00:00:02.500Z'),
    });
    expect(recordedJob(entry(whole.slice(1)))).toMatchObject({ status: 'unfinished' });
    expect(recordedJob(entry([...whole.slice(1), result(first, null, { status: 'interrupted' })]))).toMatchObject({
      status: 'unfinished',
    });
    expect(recordedJob(entry(whole.slice(1), true))).toMatchObject({ status: 'running', endedAt: null });
  });

  it('is not finished while one of its runs cannot be read, with the reason in its cell', () => {
    const problems = [{ traceDir: '/jobs/j/a-1', message: 'It is damaged.' }];
    const state = recordedJob({ ...entry([result(first, 1), result(third, 1)]), problems });
    if (state === null) throw new Error('no job');
    expect([state.status, presentHead(state).ended]).toEqual(['unfinished', 2]);
    const cells = presentRows(state).flatMap((row) => row.cells);
    expect(cells.map(({ outcome, reasons, canOpen }) => [outcome, reasons, canOpen])).toEqual([
      ['pass', '', true],
      ['interrupted', 'It is damaged.', false],
      ['pass', '', true],
    ]);
  });

  it('is not a job if it was a single run', () => {
    const alone = { ...entry([result(first, 1)]), plan: { cwd: '/tasks', runs: [first] } };
    expect(recordedJob(alone)).toBeNull();
    expect(recordedJob({ ...alone, plan: null })).toBeNull();
  });
});
