import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../scripts/places.ts';
import type { EditingTimes } from './editing-probe.ts';
import { type Figure, median } from './figures.ts';
import { benchTasks, jsonLines, plainTasks } from './task-files.ts';

/** Editing 10,000 tasks in one JSON file, and 100,000 in JSON lines. */
export async function editing(): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'taskwright-bench-'));
  const large = join(folder, 'bench.tasks.jsonl');
  let times: EditingTimes;
  let validation: Validated;
  try {
    await writeFile(large, jsonLines(benchTasks(100_000)));
    times = {
      ...(await probe<Pick<EditingTimes, 'keystroke' | 'completion'>>('typing')),
      ...(await probe<Pick<EditingTimes, 'service'>>('service')),
      ...(await openFile(large)),
    };
    validation = await validating(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
  return [
    limitFigure('keystroke to findings, p95', times.keystroke, 8),
    {
      name: 'keystroke',
      against: 'vscode-json-languageservice parsing and validating the same file',
      ours: times.keystroke,
      theirs: times.service,
      unit: 'ms',
      ratio: times.keystroke / times.service,
      aim: { atMost: 0.05 },
    },
    limitFigure('completion, p95', times.completion, 20),
    {
      name: '`taskwright validate` of 100,000 tasks, without its start',
      against: 'JSON.parse of the same lines, also in a process of its own',
      ours: validation.ours - validation.start,
      theirs: validation.parse,
      unit: 'ms',
      ratio: (validation.ours - validation.start) / validation.parse,
      aim: { atMost: 2.5 },
    },
    limitFigure('first rows of their tree', times.firstRows, 300),
    limitFigure('longest block while opening them', times.longestBlock, 50),
    limitFigure('memory with them open', times.megabytes, 400, 'MB'),
  ];
}

interface Validated {
  readonly ours: number;
  /** The same command with one task. */
  readonly start: number;
  readonly parse: number;
}

/** Medians over processes of the command line, and of a program that only parses the lines. */
async function validating(folder: string): Promise<Validated> {
  const [many, one] = [join(folder, 'many.tasks.jsonl'), join(folder, 'one.tasks.jsonl')];
  await writeFile(many, jsonLines(plainTasks(100_000)));
  await writeFile(one, jsonLines(plainTasks(1)));
  const program = join(root, 'dist', 'cli.js');
  const run = async (...args: readonly string[]): Promise<{ readonly ms: number; readonly stdout: string }> => {
    const start = performance.now();
    const { stdout } = await promisify(execFile)(process.execPath, args);
    return { ms: performance.now() - start, stdout };
  };
  const rounds: Validated[] = [];
  for (let round = 0; round < 7; round += 1) {
    const ours = (await run(program, 'validate', many)).ms;
    const start = (await run(program, 'validate', one)).ms;
    rounds.push({ ours, start, parse: Number((await run('-e', PARSE, many)).stdout) });
  }
  return {
    ours: median(rounds.map(({ ours }) => ours)),
    start: median(rounds.map(({ start }) => start)),
    parse: median(rounds.map(({ parse }) => parse)),
  };
}

/** Prints the milliseconds that reading and parsing the lines of a file takes. */
const PARSE = `const started = performance.now();
const text = require('node:fs').readFileSync(process.argv[1], 'utf8');
for (const line of text.split('\\n')) if (line !== '') JSON.parse(line);
console.log(performance.now() - started);`;

type Opened = Pick<EditingTimes, 'firstRows' | 'longestBlock' | 'megabytes'>;

/** Medians over processes: each opens the file once. */
async function openFile(file: string): Promise<Opened> {
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

function limitFigure(name: string, ours: number, limit: number, unit = 'ms'): Figure {
  return { name, against: 'limit', ours, theirs: limit, unit, ratio: ours / limit, aim: { atMost: 1 } };
}
