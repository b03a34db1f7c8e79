import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runsOfShard } from '../src/runs/job/shard.ts';
import { Recorder } from '../src/runs/run/recorder.ts';
import type { Task } from '../src/tasks/task.ts';
import { type JobPlan, writeJobFile } from '../src/traces/job-file.ts';
import { RECORDED } from '../src/traces/origin.ts';
import { TRACE_FORMAT, TRACE_VERSION } from '../src/traces/trace.ts';

/** Runs that are written at the same time. */
const AT_ONCE = 8;

/**
 * Writes a job with a result of each run, as if it had been made: in as many shards, each in a folder of its own. Resolves
 * with these folders.
 */
export async function recordJob(
  folder: string,
  of: {
    readonly task: Task;
    readonly tasks: number;
    readonly group: number;
    readonly shards: number;
    /** Steps of a run, each with a picture of so many bytes; none if 0. */
    readonly steps: number;
    readonly picture: number;
  },
): Promise<readonly string[]> {
  const started_at = new Date(0).toISOString();
  const runs: JobPlan['runs'] = Array.from({ length: of.tasks * of.group }, (_, position) => {
    const task = Math.floor(position / of.group);
    return {
      run_id: `task-${task}-${position}`,
      file: of.task.file,
      task_id: `task-${task}`,
      index: task,
      group_id: `group-${task}`,
      seed: 0,
      agent: 'noop',
      placement: 'local',
      error: null,
    };
  });
  const plan: JobPlan = { cwd: folder, portable: true, runs };
  const folders: string[] = [];
  for (let number = 1; number <= of.shards; number += 1) {
    const job = join(folder, `shard-${number}`);
    folders.push(job);
    await mkdir(job, { recursive: true });
    const ended_at = of.shards === 1 ? started_at : null;
    await writeJobFile(job, { job_id: 'recorded', started_at, ended_at, plan });
    const queue = runsOfShard(runs, { number, of: of.shards }).values();
    const work = async (): Promise<void> => {
      for (const planned of queue) await recordRun(join(job, planned.run_id), planned, { ...of, started_at });
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }
  return folders;
}

async function recordRun(
  folder: string,
  { run_id, group_id, task_id, index, seed, file }: JobPlan['runs'][number],
  of: { readonly task: Task; readonly steps: number; readonly picture: number; readonly started_at: string },
): Promise<void> {
  const { started_at } = of;
  const prompt = of.task.prompt ?? '';
  const recorder = await Recorder.create(folder, {
    format: TRACE_FORMAT,
    version: TRACE_VERSION,
    run_id,
    job_id: 'recorded',
    group_id,
    trace_id: run_id,
    task: { ...of.task, id: task_id, index },
    prompt,
    seed,
    agent: 'noop',
    runtime: 'local',
    started_at,
    origin: RECORDED,
  });
  for (let step = 0; step < of.steps; step += 1) {
    const screenshot = of.picture === 0 ? null : { type: 'png' as const, data: randomBytes(of.picture) };
    await recorder.step({
      source: 'agent',
      started_at,
      duration_ms: 1,
      action: "click('#apply')",
      observation: { text: 'A page with a form.\n'.repeat(20), screenshot },
      reward: null,
      terminated: false,
      info: {},
      error: null,
    });
  }
  const reward = index % 3 === 0 ? 0 : 1;
  const range = of.task.range;
  const verdict = { name: 'element_exists', value: reward, weight: 1, reason: 'there is one element', range };
  await recorder.end({
    run_id,
    task_id,
    file,
    group_id,
    agent: 'noop',
    seed,
    status: 'completed',
    reward,
    success: reward === 1,
    truncated: false,
    error: null,
    steps: of.steps,
    duration_ms: of.steps,
    started_at,
    trace_dir: folder,
    prompt,
    grade: { reward, done: true, content: null, info: {}, is_error: false, subscores: [verdict] },
  });
}
