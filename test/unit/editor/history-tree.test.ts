import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import { HistoryTree } from '../../../src/editor/runs/history-tree.ts';
import { runTask } from '../../../src/runs/run/runner.ts';
import { writeJobFile } from '../../../src/traces/job-file.ts';
import { keepRun } from '../../../src/traces/keep-run.ts';
import { listJobs } from '../../../src/traces/store.ts';
import { FakePlacement } from '../runs/fake-placement.ts';
import { task, temporaryFolder } from '../runs/tasks.ts';

// Other test files of the worker load the same modules with a `vscode` of their own.
vi.hoisted(() => vi.resetModules());
afterAll(() => void vi.resetModules());

vi.mock('vscode', () => ({
  EventEmitter: class {
    readonly event = () => ({ dispose() {} });
    dispose(): void {}
  },
  MarkdownString: class {
    text = '';
    appendText(text: string): this {
      this.text += text;
      return this;
    }
    appendMarkdown(text: string): this {
      return this.appendText(text);
    }
  },
  ThemeColor: class {},
  ThemeIcon: class {
    readonly id: string;
    constructor(id: string) {
      this.id = id;
    }
  },
  TreeItem: class {
    readonly label: string;
    constructor(label: string) {
      this.label = label;
    }
  },
  TreeItemCollapsibleState: { Collapsed: 1 },
  window: { createTreeView: () => ({ dispose() {} }) },
}));

/** Records a job whose runs have these names; returns their folders. */
async function recorded(root: string, jobId: string, names: readonly string[]): Promise<string[]> {
  const of = { file: '/tasks/shop.task.json', task_id: 'shop', index: 0, group_id: 'g', seed: 0, agent: 'noop' };
  const runs = names.map((run_id) => ({ run_id, ...of, placement: 'local' as const, error: null }));
  for (const runId of names) {
    const plan = { task: task(), agent: 'noop', seed: 0, jobId, groupId: 'g', runId, out: root, cwd: root };
    await runTask(plan, new FakePlacement(), () => {}, new AbortController().signal);
  }
  const folder = join(root, jobId);
  const file = { job_id: jobId, started_at: '2026-01-01', ended_at: '2026-01-02', plan: { cwd: root, runs } };
  await writeJobFile(folder, file);
  return names.map((name) => join(folder, name));
}

it('names the runs that cannot be read, in the row of their job and in rows of their own', async () => {
  const root = await temporaryFolder();
  const [unread = '', halfRead = ''] = await recorded(root, 'several', ['r1', 'r2', 'r3']);
  const [alone = ''] = await recorded(root, 'single', ['r4']);
  for (const run of [unread, halfRead]) await writeFile(join(run, 'run.json'), '{');
  for (const run of [unread, alone]) await writeFile(join(run, 'trace.jsonl'), '');
  await rm(join(alone, 'run.json'));
  const jobs = await listJobs(root);
  const entries = jobs.flatMap(({ runs }) => runs);
  const history = { jobs, entries, load: async () => {}, onDidChange: () => ({ dispose() {} }) };
  const tree = new HistoryTree(history as never, { onDidStart: () => ({ dispose() {} }) } as never);
  onTestFinished(() => tree.dispose());

  const rows = await tree.getChildren();
  const items = rows.map((row) => tree.getTreeItem(row));
  const job = items.findIndex(({ id }) => id === join(root, 'several'));
  expect(items[job]?.description).toContain(' · 2 runs cannot be read · ');
  expect(items[job]?.tooltip).toMatchObject({ text: expect.stringContaining('2 runs cannot be read') });
  expect(items[job]?.accessibilityInformation?.label).toContain(', 2 runs cannot be read, ');
  const row = (run: string, label: string) => ({
    label: expect.stringContaining(label),
    id: run,
    description: 'cannot be read',
    contextValue: 'run unreadable',
    iconPath: { id: 'issues' },
    tooltip: `${join(run, 'trace.jsonl')} is empty. The run ended before it started.`,
    command: { arguments: [{ traceDir: run }] },
  });
  expect(items[1 - job]).toMatchObject(row(alone, 'r4'));

  const below = (await tree.getChildren(rows[job])).map((node) => tree.getTreeItem(node));
  expect(below).toHaveLength(3);
  expect(below[0]).toMatchObject(row(unread, 'r1'));
  expect(below[1]).toMatchObject({
    id: halfRead,
    tooltip: { text: expect.stringMatching(/The grade of this run is unknown: .*run\.json is damaged/) },
  });
});

it('shows that a run is kept, and whether it can be', async () => {
  const root = await temporaryFolder();
  const [first = '', second = '', interrupted = ''] = await recorded(root, 'several', ['r1', 'r2', 'r3']);
  await keepRun(second, true);
  await rm(join(interrupted, 'run.json'));
  const entries = (await listJobs(root)).flatMap(({ runs }) => runs);
  const history = { jobs: [], entries: [], load: async () => {}, onDidChange: () => ({ dispose() {} }) };
  const tree = new HistoryTree(history as never, { onDidStart: () => ({ dispose() {} }) } as never);
  onTestFinished(() => tree.dispose());
  const item = (run: string) => tree.getTreeItem(entries.find(({ traceDir }) => traceDir === run) as never);
  expect(item(first)).toMatchObject({
    contextValue: 'run ended unkept',
    description: expect.not.stringContaining('kept'),
    tooltip: { text: expect.not.stringContaining('Kept') },
  });
  expect(item(second)).toMatchObject({
    contextValue: 'run ended kept',
    description: expect.stringContaining(' · kept · '),
    tooltip: { text: expect.stringContaining('Kept: this run is not removed when it is old.') },
    accessibilityInformation: { label: expect.stringMatching(/, kept$/) },
  });
  expect(item(interrupted).contextValue).toBe('run ended');
});

it('shows the reasons of a run without backticks around code', async () => {
  const root = await temporaryFolder();
  await recorded(root, 'single', ['r1']);
  const [entry] = (await listJobs(root)).flatMap(({ runs }) => runs);
  const history = { jobs: [], entries: [], load: async () => {}, onDidChange: () => ({ dispose() {} }) };
  const tree = new HistoryTree(history as never, { onDidStart: () => ({ dispose() {} }) } as never);
  onTestFinished(() => tree.dispose());
  const item = tree.getTreeItem({ ...entry, reasons: 'no element matches `#a`' } as never);
  expect(item.tooltip).toMatchObject({ text: expect.stringContaining('no element matches #a') });
});
