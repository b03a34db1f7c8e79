import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import type { Call, Task } from '../../../src/tasks/task.ts';
import { type PlannedRun, writeJobFile } from '../../../src/traces/job-file.ts';
import type { RunRecord } from '../../../src/traces/trace.ts';

/** A folder that is gone after the test, also if an ending process still writes into it. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'taskwright-runs-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

export async function fileIn(folder: string, name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

/** A call that stands on its own line of the task file. */
export function call(name: string, args: Json[] = [], metadata?: Record<string, Json>, line = 4): Call {
  const range = { start: { line, character: 2 }, end: { line, character: 30 } };
  return { function: name, args, range, ...(metadata === undefined ? {} : { metadata }) };
}

export function task(of: Partial<Task> = {}): Task {
  return {
    file: '/tasks/shop.task.json',
    index: 0,
    id: 'shop',
    era: '0.2',
    range: { start: { line: 0, character: 0 }, end: { line: 9, character: 1 } },
    name: null,
    description: null,
    prompt: 'Place the order.',
    system_prompt: null,
    env: { type: 'qa' },
    tags: [],
    initial_state: {},
    setup: [],
    evaluate: [],
    config: null,
    sensitive_data: {},
    metadata: {},
    max_steps: null,
    ...of,
  };
}

/** A run of a job on disk. */
export interface RunOnDisk {
  readonly task?: string;
  readonly success?: boolean;
  readonly status?: RunRecord['status'];
  /** As in the plan of the job, or in the trace if the job has no plan. */
  readonly agent?: string;
  readonly kept?: true;
  readonly edited?: true;
  /** Bytes of its only screenshot. */
  readonly bytes?: number;
  /** It has no `run.json`. */
  readonly open?: true;
}

/**
 * A job's folder as it stands on disk after a job that ended on a day. Its runs are `r0`, `r1`, …, the later ones newer. Task
 * files are in `root`.
 */
export async function jobOnDisk(
  root: string,
  id: string,
  day: string,
  runs: readonly RunOnDisk[],
  of: { readonly ended?: boolean; readonly planned?: boolean; readonly size?: number } = {},
): Promise<string> {
  const folder = join(root, id);
  const file = join(root, 'shop.tasks.json');
  await mkdir(folder, { recursive: true });
  const started_at = `${day}T00:00:00.000Z`;
  for (const [index, run] of runs.entries()) {
    const { task: task_id = 'shop', success = false, status = 'completed', agent = 'noop', bytes = 0 } = run;
    const trace_dir = join(folder, `r${index}`);
    await mkdir(join(trace_dir, 'screens'), { recursive: true });
    const started = { started_at: `${day}T00:${String(index % 60).padStart(2, '0')}:00.000Z` };
    const ids = { run_id: `r${index}`, group_id: 'g', seed: 0, ...started };
    const about = { format: 'taskwright.trace', version: 1, job_id: id, trace_id: 't', agent, runtime: 'local' };
    const header = { ...about, ...ids, task: task({ file, id: task_id }), prompt: '' };
    await writeFile(join(trace_dir, 'trace.jsonl'), `${JSON.stringify(header)}\n`);
    await writeFile(join(trace_dir, 'screens', 'a.png'), Buffer.alloc(bytes));
    if (run.open) continue;
    const reward = success ? 1 : 0;
    const record: RunRecord = {
      ...{ ...ids, task_id, file, status, reward, success, truncated: false, error: null, steps: 0, duration_ms: 1 },
      ...{ trace_dir, prompt: '', agent },
      ...(run.kept && { kept: true }),
      ...(run.edited && { edited: true }),
      grade: { reward, done: true, content: null, info: {}, is_error: false, subscores: [] },
    };
    await writeFile(join(trace_dir, 'run.json'), JSON.stringify(record));
  }
  const planned = runs.map(({ task: task_id = 'shop', agent = 'noop' }, index): PlannedRun => {
    const ids = { run_id: `r${index}`, file, task_id, index: 0, group_id: 'g', seed: 0 };
    return { ...ids, agent, placement: 'local', error: null };
  });
  await writeJobFile(folder, {
    ...{ job_id: id, started_at, ended_at: of.ended === false ? null : `${day}T12:00:00.000Z` },
    ...(of.size === undefined ? {} : { size_bytes: of.size }),
    ...(of.planned === false ? {} : { plan: { cwd: root, runs: planned } }),
  });
  return folder;
}
