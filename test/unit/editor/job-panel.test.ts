import { EventEmitter } from 'node:events';
import { rm } from 'node:fs/promises';
import { afterAll, expect, it, vi } from 'vitest';
import { JobPanel } from '../../../src/editor/jobs/job-panel.ts';
import { temporaryFolder } from '../runs/tasks.ts';

// Other test files of the worker load the same modules with a `vscode` of their own.
vi.hoisted(() => vi.resetModules());
afterAll(() => void vi.resetModules());

const createWebviewPanel = vi.hoisted(() => vi.fn());
const registerWebviewPanelSerializer = vi.hoisted(() => vi.fn());

vi.mock('vscode', () => ({
  Uri: { joinPath: ({ path }: { path: string }, ...names: string[]) => ({ path: [path, ...names].join('/') }) },
  ThemeIcon: class {},
  ThemeColor: class {},
  EventEmitter: class {},
  ViewColumn: { One: 1, Beside: -2 },
  env: { language: 'en' },
  l10n: {},
  window: { createWebviewPanel, registerWebviewPanelSerializer },
}));

const listen = () => ({ dispose() {} });

/** Recorded jobs with two runs each, in these folders, and a panel for them. */
function jobPanel(folders: readonly string[]) {
  const run = { file: '/t/a.tasks.json', task_id: 'a', index: 0, group_id: 'g', seed: 0, agent: 'noop' };
  const runs = ['r', 's'].map((run_id) => ({ ...run, run_id, placement: 'local', error: null }));
  const times = { startedAt: '2026-01-01T00:00:00.000Z', endedAt: '2026-01-02T00:00:00.000Z' };
  const plan = { cwd: '/t', runs };
  const events = new EventEmitter();
  const history = {
    jobs: folders.map((folder) => ({ folder, jobId: 'j', plan, runs: [], problems: [], running: false, ...times })),
    onDidChange: (listener: () => void) => events.on('change', listener),
    load: () => Promise.resolve(),
  };
  const jobs = { onDidStart: listen, onDidChange: listen, activeIn: () => undefined };
  const panels = new JobPanel({ path: '/x' } as never, {} as never, { history, jobs, panels: {} } as never);
  /** What VS Code calls after a window reload. */
  const restore: (panel: unknown, state: unknown) => Promise<void> =
    registerWebviewPanelSerializer.mock.lastCall?.[1].deserializeWebviewPanel;
  return { panels, history, events, restore };
}

/** A panel of VS Code with what was posted to its page. */
function webviewPanel() {
  const page = new EventEmitter();
  const posted: { type: string; message?: string; head?: { folder: string } }[] = [];
  const webview = {
    asWebviewUri: (uri: unknown) => uri,
    postMessage: (message: { type: string }) => void posted.push(message),
    onDidReceiveMessage: (listener: () => void) => page.on('message', listener),
  };
  const dispose = vi.fn();
  const panel = { webview, title: '', visible: true, onDidDispose: listen, onDidChangeViewState: listen, dispose };
  return { panel, posted, page };
}

it('shows on the page of a job that it was deleted', async () => {
  const folder = await temporaryFolder();
  const { panels, history, events } = jobPanel([folder]);
  const { panel, posted, page } = webviewPanel();
  createWebviewPanel.mockReturnValueOnce(panel);
  await panels.open(folder);
  page.emit('message', { type: 'ready' });
  await vi.waitFor(() => expect(posted).toEqual([expect.objectContaining({ type: 'job' })]));
  await rm(folder, { recursive: true });
  history.jobs = [];
  events.emit('change');
  await vi.waitFor(() => expect(posted.at(-1)).toEqual({ type: 'failed', message: 'The job was deleted.' }));
  expect(panel.title).toBe('Job');
});

it('closes a restored panel if another job was opened while it loaded', async () => {
  const { panels, history, restore } = jobPanel(['/jobs/restored', '/jobs/opened']);
  const loading = Promise.withResolvers<void>();
  history.load = vi.fn(() => loading.promise);
  const [restored, opened] = [webviewPanel(), webviewPanel()];
  const restoring = restore(restored.panel, { folder: '/jobs/restored' });
  await vi.waitFor(() => expect(history.load).toHaveBeenCalled());
  createWebviewPanel.mockReturnValueOnce(opened.panel);
  await panels.open('/jobs/opened');
  loading.resolve();
  await restoring;
  expect(restored.panel.dispose).toHaveBeenCalled();
  opened.page.emit('message', { type: 'ready' });
  await vi.waitFor(() => expect(opened.posted.map(({ head }) => head?.folder)).toEqual(['/jobs/opened']));
});

it('restores the job of a panel', async () => {
  const { restore } = jobPanel(['/jobs/restored']);
  const { panel, posted, page } = webviewPanel();
  await restore(panel, { folder: '/jobs/restored' });
  page.emit('message', { type: 'ready' });
  await vi.waitFor(() => expect(posted.map(({ head }) => head?.folder)).toEqual(['/jobs/restored']));
  expect(panel.dispose).not.toHaveBeenCalled();
});
