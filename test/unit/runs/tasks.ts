import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Call, Json, Task } from '../../../src/tasks/task.ts';

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

/** A job's folder as it stands on disk, with so many runs; `open` of them have not ended. */
export async function jobOnDisk(
  root: string,
  id: string,
  day: number,
  runs: number,
  of: { ended?: boolean; open?: number } = {},
) {
  const folder = join(root, id);
  const started_at = `2026-01-${String(day).padStart(2, '0')}T00:00:00.000Z`;
  for (let run = 0; run < runs; run += 1) {
    await mkdir(join(folder, `r${run}`), { recursive: true });
    await writeFile(join(folder, `r${run}`, 'trace.jsonl'), '');
    if (run >= (of.open ?? 0)) await writeFile(join(folder, `r${run}`, 'run.json'), '{}');
  }
  const ended_at = of.ended === false ? null : started_at;
  await writeFile(join(folder, 'job.json'), JSON.stringify({ job_id: id, started_at, ended_at }));
}
