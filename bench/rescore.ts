import { mkdir, stat, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { chromium } from 'playwright-core';
import { openAddress } from '../src/environments/browser/acting/navigation.ts';
import { locateBrowser } from '../src/environments/browser/launch/locate.ts';
import { LIMITS } from '../src/environments/browser/limits.ts';
import { locateMiniwob } from '../src/environments/browser/miniwob/locate.ts';
import { registerPageFunctions } from '../src/environments/browser/pages/callable.ts';
import { PageFiles } from '../src/environments/browser/pages/page-files.ts';
import { createSessionState, type SessionState } from '../src/environments/browser/pages/session-state.ts';
import type { Placement } from '../src/placement/placement.ts';
import { defaultConcurrency } from '../src/runs/job/job-runs.ts';
import { Rescorer } from '../src/runs/rescoring/rescorer.ts';
import type { RunPlan } from '../src/runs/run/plan.ts';
import { runTask } from '../src/runs/run/runner.ts';
import { loadTaskFile } from '../src/tasks/discover.ts';
import { PagesWriter } from '../src/traces/pages-file.ts';
import type { RunRecord } from '../src/traces/trace.ts';
import { type Figure, median } from './figures.ts';
import { outputOf } from './output-of.ts';
import { type BenchFolder, benchFolder } from './page.ts';
import { benchPlacement, benchPlan } from './placement.ts';
import { PAGES } from './step.ts';

/** Tasks of MiniWoB++ whose pages differ from seed to seed, each with what is asked of their last page. */
const TASKS = [
  'click-test-2',
  'click-dialog',
  'click-tab',
  'enter-text',
  'login-user',
  'read-table',
  'click-option',
  'focus-text',
];
const REPEATS = 25;
const ROUNDS = 5;
const LIMIT_MS = 3_000;
const STEPS = 25;
const CAPTURE_LIMIT_MS = 10;
const LIMIT_BYTES = 1_024;

/** Recorded runs judged again against running them again, and what recording a page costs. */
export async function rescore(): Promise<readonly Figure[]> {
  await using folder = await benchFolder();
  return [...(await judgedAgain(folder)), ...(await captures(folder))];
}

async function judgedAgain(folder: BenchFolder): Promise<readonly Figure[]> {
  if (!('found' in (await locateMiniwob()))) {
    console.log('– recorded runs of MiniWoB++: skipped, no pages');
    return [];
  }
  const cwd = join(folder.path, 'recorded');
  await mkdir(cwd);
  const rows = TASKS.map((name) => ({
    id: name,
    gym: { type: 'browsergym', benchmark: 'miniwob', task_name: name },
    evaluate: [
      { function: 'element_exists', args: ['#area'] },
      { function: 'text_matches', args: ['#query', '.+'] },
    ],
  }));
  await writeFile(join(cwd, 'dom.tasks.json'), JSON.stringify(rows));
  await writeFile(join(cwd, 'three.actions'), 'noop(1)\n'.repeat(3));
  const tasks = (await loadTaskFile(join(cwd, 'dom.tasks.json'))).rows.flatMap(({ task }) => task ?? []);
  await using placement = benchPlacement();
  const figures: Figure[] = [];
  for (const [name, seedOf] of [
    ['a seed each', (repeat: number) => repeat + 1],
    [`${REPEATS} of each task with one seed`, () => 0],
  ] as const) {
    const plans = tasks.flatMap((task) =>
      Array.from({ length: REPEATS }, (_, repeat): RunPlan => {
        const plan = benchPlan(folder, task, 'replay:three.actions', `${task.id}-${repeat}`);
        return { ...plan, cwd, seed: seedOf(repeat), jobId: name.replaceAll(' ', '-') };
      }),
    );
    const again = await measureTime(() => runAll(plans, placement));
    const traceDirs = again.came.map(({ trace_dir }) => trace_dir ?? '');
    figures.push(
      ...(await inEditor(`${plans.length} recorded runs judged again, ${name}`, traceDirs, again.ms, placement)),
      await fromCommandLine(`the same from the command line, ${name}`, traceDirs, cwd),
    );
  }
  return figures;
}

/** As many at the same time as in the command line and the editor. */
async function runAll(plans: readonly RunPlan[], placement: Placement): Promise<readonly RunRecord[]> {
  const records: RunRecord[] = [];
  const left = plans.values();
  const work = async (): Promise<void> => {
    for (const plan of left) records.push(await runTask(plan, placement, () => {}, new AbortController().signal));
  };
  await Promise.all(Array.from({ length: defaultConcurrency() }, work));
  const failure = records.find(({ error }) => error !== null);
  if (failure) throw new Error(`A run of the bench's own failed: ${failure.error?.message}`);
  return records;
}

/** With the environment server that runs as long as the editor is open, for these runs and for judging them. */
async function inEditor(name: string, traceDirs: readonly string[], againMs: number, placement: Placement) {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { ms, came } = await measureTime(async () => {
      const rescorer = new Rescorer(placement);
      const results = await rescorer.rescoreAll(traceDirs, { everyStep: false, signal: new AbortController().signal });
      await rescorer.close();
      return results;
    });
    check(came, traceDirs.length);
    times.push(ms);
  }
  const ours = median(times);
  const against = `running them again, three actions each of an agent that takes no time, ${cpus().length} processors`;
  const ratio = againMs / ours;
  return [{ name, against, ours, theirs: againMs, unit: 'ms', ratio, aim: { atLeast: 50 } }];
}

/** With the start and the end of `taskwright rescore`. */
async function fromCommandLine(name: string, traceDirs: readonly string[], cwd: string): Promise<Figure> {
  const program = join(import.meta.dirname, '..', 'dist', 'cli.js');
  const jobFolder = dirname(traceDirs[0] ?? '');
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { ms, came } = await measureTime(() =>
      outputOf(process.execPath, [program, 'rescore', jobFolder, '--json'], cwd),
    );
    check(JSON.parse(came) as readonly Judged[], traceDirs.length);
    times.push(ms);
  }
  const ours = median(times);
  const ratio = ours / LIMIT_MS;
  return { name, against: 'the limit', ours, theirs: LIMIT_MS, unit: 'ms', ratio, aim: { atMost: 1 } };
}

interface Judged {
  readonly old: number | null;
  readonly new: number | null;
}

function check(results: readonly Judged[], count: number): void {
  if (results.length !== count || results.some((one) => one.new === null || one.new !== one.old)) {
    throw new Error("The bench's own runs were judged otherwise.");
  }
}

async function measureTime<T>(work: () => Promise<T>): Promise<{ readonly ms: number; readonly came: T }> {
  const start = performance.now();
  const came = await work();
  return { ms: performance.now() - start, came };
}

async function captures(folder: BenchFolder): Promise<readonly Figure[]> {
  const location = await locateBrowser();
  if (!('found' in location)) throw new Error(`No browser: ${location.tried.join(', ')}`);
  await registerPageFunctions();
  const browser = await chromium.launch({ executablePath: location.found.path, chromiumSandbox: false });
  try {
    const figures: Figure[] = [];
    for (const { page, selector } of PAGES) {
      const task = folder.task(page);
      const files = new PageFiles({ folder: folder.path });
      const state = await createSessionState(browser, task, files, LIMITS, null, new Set(), (error) => {
        throw error;
      });
      figures.push(...(await capture(state, folder, page, selector)));
      await state.context.close();
    }
    return figures;
  } finally {
    await browser.close();
  }
}

/** Clicks and records, again and again; the first record has the whole page and is not counted. */
async function capture(
  state: SessionState,
  folder: BenchFolder,
  name: (typeof PAGES)[number]['page'],
  selector: string,
) {
  const open = await state.tabs.create();
  await openAddress(open.tab, state.taskPages.show(folder.html(name)), LIMITS);
  const place = join(folder.path, `recorded-${name}`);
  await mkdir(place);
  const writer = await PagesWriter.create(place);
  const size = async (): Promise<number> => (await stat(join(place, 'pages.br'))).size;
  const times: number[] = [];
  let first = 0;
  for (let index = 0; index <= STEPS; index += 1) {
    await open.tab.page.click(selector);
    const start = performance.now();
    const recording = await state.recorder.record(open, false, LIMITS.observe);
    if (recording.page === null) throw new Error(`The bench's own page was not recorded: ${recording.missing}`);
    if (index > 0) times.push(performance.now() - start);
    await writer.add(index, { ...recording, resources: state.recorder.takeResources(), actions: [] });
    if (index === 0) first = await size();
  }
  await writer.end();
  const bytes = ((await size()) - first) / STEPS;
  const ms = median(times);
  const against = 'the limit';
  return [
    {
      name: `recording a page: ${name}`,
      against,
      ours: ms,
      theirs: CAPTURE_LIMIT_MS,
      unit: 'ms',
      ratio: ms / CAPTURE_LIMIT_MS,
      aim: { atMost: 1 },
    },
    {
      name: `a further step on disk: ${name}`,
      against: `${against}; the first step ${first} bytes`,
      ours: bytes,
      theirs: LIMIT_BYTES,
      unit: 'bytes',
      ratio: bytes / LIMIT_BYTES,
      aim: { atMost: 1 },
    },
  ] as const;
}
