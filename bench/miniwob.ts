import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../scripts/places.ts';
import { locateBrowser } from '../src/environments/browser/launch/locate.ts';
import { locateMiniwob } from '../src/environments/browser/miniwob/locate.ts';
import type { RunRecord } from '../src/traces/trace.ts';
import { type Figure, median } from './figures.ts';
import { outputOf } from './output-of.ts';

/** Tasks that the example agent solves by elements' ids alone, which is all that BrowserGym knows. */
const TASKS = `click-test click-test-2 click-test-transfer click-button click-button-sequence click-widget click-dialog
  click-dialog-2 choose-list click-scroll-list click-option click-checkboxes click-tab enter-text enter-text-2
  enter-text-dynamic enter-password login-user enter-date enter-time focus-text focus-text-2 read-table simple-algebra
  form-sequence-2`.split(/\s+/);

/**
 * MiniWoB++ from the command line, start and end included, against the same actions through BrowserGym in one process of
 * Python (`pip install gymnasium playwright numpy pyparsing "lxml<6" beautifulsoup4 pillow` and
 * `pip install --no-deps browsergym-core browsergym-miniwob miniwob`). `TASKWRIGHT_BENCH_PYTHON`: the Python that has it.
 */
export async function miniwob(): Promise<readonly Figure[]> {
  const python = process.env['TASKWRIGHT_BENCH_PYTHON'] ?? 'python3';
  const [pages, browser] = await Promise.all([locateMiniwob(), locateBrowser()]);
  if (!('found' in pages)) return skipFigures(`no pages of MiniWoB++ (${pages.tried.join('; ')})`);
  if (!('found' in browser)) return skipFigures('no browser');
  if (!/headless.shell/.test(browser.found.path)) return skipFigures('BrowserGym needs chromium-headless-shell here');
  try {
    await promisify(execFile)(python, ['-c', 'import browsergym.miniwob, gymnasium'], {
      env: { ...process.env, MINIWOB_URL: 'file:///' },
    });
  } catch {
    return skipFigures(`${python} has no browsergym-miniwob`);
  }
  const folder = await mkdtemp(join(tmpdir(), 'taskwright-bench-'));
  try {
    const episodes = await solve(folder);
    const ours = await timesOf(folder);
    const input = { folder: pages.found.folder, browser: browser.found.path, episodes };
    const theirs = await runTheirs(python, JSON.stringify(input));
    if (theirs.rewards.some((reward) => reward !== 1)) {
      throw new Error(`BrowserGym judged the same actions otherwise: ${theirs.rewards.join(' ')}`);
    }
    // Theirs take so long that they average out other load on the machine; ours run before and after.
    ours.push(...(await timesOf(folder)));
    const seconds = median(ours);
    console.log(`  ours: ${ours.map((time) => time.toFixed(1)).join(', ')} s; theirs: ${theirs.seconds.toFixed(1)} s`);
    return [
      {
        name: `${TASKS.length} tasks of MiniWoB++`,
        against: 'the same actions through BrowserGym in Python',
        ours: seconds,
        theirs: theirs.seconds,
        unit: 's',
        ratio: theirs.seconds / seconds,
        aim: { atLeast: 8 },
      },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function skipFigures(why: string): readonly Figure[] {
  console.log(`– tasks of MiniWoB++: skipped, ${why}`);
  return [];
}

interface Episode {
  readonly task: string;
  readonly actions: readonly string[];
}

/** Solves the tasks once and saves the actions as their solutions, which is also what BrowserGym repeats. */
async function solve(folder: string): Promise<readonly Episode[]> {
  await cp(join(root, 'examples', 'miniwob'), folder, { recursive: true });
  const episodes = await Promise.all((await run(folder, '--agent', 'module:solver.agent.ts')).map(episodeOf));
  for (const { task, actions } of episodes) await writeFile(join(folder, `${task}.actions`), actions.join('\n'));
  return episodes;
}

/** Seconds that each of some runs of the solutions took. */
async function timesOf(folder: string): Promise<number[]> {
  const times: number[] = [];
  for (let left = 3; left > 0; left--) {
    const began = performance.now();
    await run(folder);
    times.push((performance.now() - began) / 1000);
  }
  return times;
}

async function run(folder: string, ...more: readonly string[]): Promise<readonly RunRecord[]> {
  const addresses = TASKS.map((id) => `miniwob.tasks.yaml#${id}`);
  const args = [join(root, 'dist', 'cli.js'), 'run', ...addresses, ...more, '--json', '--out', join(folder, 'runs')];
  const { runs } = JSON.parse(await outputOf(process.execPath, args, folder)) as { runs: readonly RunRecord[] };
  const failures = runs.filter(({ success }) => !success);
  if (failures.length > 0)
    throw new Error(`The bench's own runs failed: ${failures.map(({ task_id }) => task_id).join(' ')}`);
  return runs;
}

async function episodeOf({ task_id, trace_dir }: RunRecord): Promise<Episode> {
  const lines = (await readFile(join(trace_dir ?? '', 'trace.jsonl'), 'utf8')).trim().split('\n').slice(1);
  const steps = lines.map((line) => JSON.parse(line) as { source: string; action?: string | readonly string[] });
  return {
    task: task_id ?? '',
    actions: steps.filter(({ source }) => source === 'agent').map(({ action }) => [action ?? []].flat().join('\n')),
  };
}

async function runTheirs(python: string, input: string): Promise<{ seconds: number; rewards: readonly number[] }> {
  const output = await outputOf(python, [join(root, 'bench', 'miniwob.py')], root, input);
  return JSON.parse(output.slice(output.lastIndexOf('{')));
}
