import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { EditingTimes } from './editing-probe.ts';
import { type Figure, median } from './figures.ts';
import { benchTasks, jsonLines } from './task-files.ts';

/** Editing 10,000 tasks in one JSON file, and 100,000 in JSON lines. */
export async function editing(): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'taskwright-bench-'));
  const large = join(folder, 'bench.tasks.jsonl');
  let times: EditingTimes;
  try {
    await writeFile(large, jsonLines(benchTasks(100_000)));
    times = {
      ...(await probe<Pick<EditingTimes, 'keystroke' | 'completion'>>('typing')),
      ...(await probe<Pick<EditingTimes, 'service'>>('service')),
      ...(await probe<Pick<EditingTimes, 'cold' | 'parse'>>('validated')),
      ...(await opened(large)),
    };
  } finally {
    await rm(folder, { recursive: true });
  }
  return [
    limited('keystroke to findings, p95', times.keystroke, 8),
    {
      name: 'keystroke',
      against: 'vscode-json-languageservice parsing and validating the same file',
      ours: times.keystroke,
      theirs: times.service,
      unit: 'ms',
      ratio: times.keystroke / times.service,
      aim: { atMost: 0.05 },
    },
    limited('completion, p95', times.completion, 20),
    {
      name: 'validating 100,000 tasks',
      against: 'JSON.parse of the same lines',
      ours: times.cold,
      theirs: times.parse,
      unit: 'ms',
      ratio: times.cold / times.parse,
      aim: { atMost: 2.5 },
    },
    limited('first rows of their tree', times.firstRows, 300),
    limited('longest block while opening them', times.longestBlock, 50),
    limited('memory with them open', times.megabytes, 400, 'MB'),
  ];
}

type Opened = Pick<EditingTimes, 'firstRows' | 'longestBlock' | 'megabytes'>;

/** Medians over processes: each opens the file once. */
async function opened(file: string): Promise<Opened> {
  const times: Opened[] = [];
  for (let round = 0; round < 5; round += 1) times.push(await probe<Opened>('opened', file));
  return {
    firstRows: median(times.map((one) => one.firstRows)),
    longestBlock: median(times.map((one) => one.longestBlock)),
    megabytes: median(times.map((one) => one.megabytes)),
  };
}

async function probe<Measured>(...what: readonly string[]): Promise<Measured> {
  const program = join(import.meta.dirname, 'editing-probe.ts');
  const run = await promisify(execFile)(process.execPath, ['--expose-gc', '--no-warnings', program, ...what]);
  return JSON.parse(run.stdout) as Measured;
}

function limited(name: string, ours: number, limit: number, unit = 'ms'): Figure {
  return { name, against: 'limit', ours, theirs: limit, unit, ratio: ours / limit, aim: { atMost: 1 } };
}
