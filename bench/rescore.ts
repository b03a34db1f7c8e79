import { mkdir, stat, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { LIMITS } from '../src/environments/browser/limits.ts';
import { locateBrowser } from '../src/environments/browser/locate.ts';
import { openAddress } from '../src/environments/browser/navigation.ts';
import { PageFiles } from '../src/environments/browser/page-files.ts';
import { buildScene, type Scene } from '../src/environments/browser/scene.ts';
import { locateMiniwob } from '../src/environments/miniwob/locate.ts';
import { PagesWriter } from '../src/runs/pages-file.ts';
import { type Figure, median } from './figures.ts';
import { outputOf } from './output-of.ts';
import { type BenchFolder, benchFolder } from './page.ts';
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
const LIMIT_MS = 3_000;
const STEPS = 25;
const CAPTURE_LIMIT_MS = 10;
const LIMIT_BYTES = 1_024;

/** Recorded runs judged again against running them again, and what recording a page costs. */
export async function rescore(): Promise<readonly Figure[]> {
  await using folder = await benchFolder();
  return [...(await runsAgain(folder)), ...(await captures(folder))];
}

async function runsAgain(folder: BenchFolder): Promise<readonly Figure[]> {
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
  for (const { id } of rows) await writeFile(join(cwd, `${id}.actions`), 'noop(1)\n'.repeat(3));
  const runs = TASKS.length * REPEATS;
  const cli = (...args: readonly string[]) =>
    timed(() => outputOf(process.execPath, [join(import.meta.dirname, '..', 'dist', 'cli.js'), ...args], cwd));
  const again = await cli('run', 'dom.tasks.json', '--group', String(REPEATS), '--json', '--out', 'jobs');
  const { job_id } = JSON.parse(again.said) as { job_id: string };
  // A seed each: no two of these runs end on the same page.
  const seeded: string[] = [];
  for (let seed = 1; seed <= REPEATS; seed += 1) {
    const { said } = await cli('run', 'dom.tasks.json', '--seed', String(seed), '--json', '--out', 'seeds');
    seeded.push(join('seeds', (JSON.parse(said) as { job_id: string }).job_id));
  }
  const same: number[] = [];
  const other: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    for (const [folders, times] of [
      [[join('jobs', job_id)], same],
      [seeded, other],
    ] as const) {
      const { ms, said } = await cli('rescore', ...folders, '--json');
      const judged = JSON.parse(said) as readonly { old: number | null; new: number | null }[];
      if (judged.length !== runs || judged.some((one) => one.new === null || one.new !== one.old)) {
        throw new Error("The bench's own runs were judged otherwise.");
      }
      times.push(ms);
    }
  }
  return [
    ...figuresOf(`${runs} recorded runs judged again, ${REPEATS} of each task with one seed`, median(same), again.ms),
    ...figuresOf(`${runs} recorded runs judged again, a seed each`, median(other), again.ms),
  ];
}

/** Against the limit, and against running them again. */
function figuresOf(name: string, ours: number, againMs: number): readonly Figure[] {
  const against = `running them again, three actions each of an agent that takes no time, ${cpus().length} processors`;
  const ratio = againMs / ours;
  return [
    { name, against: 'the limit', ours, theirs: LIMIT_MS, unit: 'ms', ratio: ours / LIMIT_MS, aim: { atMost: 1 } },
    { name, against, ours, theirs: againMs, unit: 'ms', ratio, aim: { atLeast: 50 } },
  ];
}

async function timed(work: () => Promise<string>): Promise<{ readonly ms: number; readonly said: string }> {
  const begun = performance.now();
  const said = await work();
  return { ms: performance.now() - begun, said };
}

async function captures(folder: BenchFolder): Promise<readonly Figure[]> {
  const located = await locateBrowser();
  if (!('found' in located)) throw new Error(`No browser: ${located.tried.join(', ')}`);
  const browser = await chromium.launch({ executablePath: located.found.path, chromiumSandbox: false });
  try {
    const figures: Figure[] = [];
    for (const { page, selector } of PAGES) {
      const task = folder.task(page);
      const files = new PageFiles({ folder: folder.path });
      const scene = await buildScene(browser, task, files, LIMITS, null, new Set(), (error) => {
        throw error;
      });
      figures.push(...(await capture(scene, folder, page, selector)));
      await scene.context.close();
    }
    return figures;
  } finally {
    await browser.close();
  }
}

/** Clicks and records, again and again; the first record has the whole page and is not counted. */
async function capture(scene: Scene, folder: BenchFolder, name: (typeof PAGES)[number]['page'], selector: string) {
  const open = await scene.tabs.create();
  await openAddress(open.tab, scene.own.show(folder.html(name)), LIMITS);
  const place = join(folder.path, `recorded-${name}`);
  await mkdir(place);
  const writer = await PagesWriter.create(place);
  const size = async (): Promise<number> => (await stat(join(place, 'pages.br'))).size;
  const times: number[] = [];
  let first = 0;
  for (let index = 0; index <= STEPS; index += 1) {
    await open.tab.page.click(selector);
    const begun = performance.now();
    const recorded = await scene.recorder.record(open, false, LIMITS.look);
    if (recorded.page === null) throw new Error(`The bench's own page was not recorded: ${recorded.missing}`);
    if (index > 0) times.push(performance.now() - begun);
    await writer.add(index, { ...recorded, resources: scene.recorder.takeResources(), actions: [] });
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
