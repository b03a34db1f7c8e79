import { EventEmitter } from 'node:events';
import { rm } from 'node:fs/promises';
import { afterAll, expect, it, vi } from 'vitest';
import { JobPanel } from '../../../src/editor/jobs/job-panel.ts';
import { temporaryFolder } from '../runs/tasks.ts';

// Other test files of the worker load the same modules with a `vscode` of their own.
vi.hoisted(() => vi.resetModules());
afterAll(() => void vi.resetModules());

const createWebviewPanel = vi.hoisted(() => vi.fn());

vi.mock('vscode', () => ({
  Uri: { joinPath: ({ path }: { path: string }, ...names: string[]) => ({ path: [path, ...names].join('/') }) },
  ThemeIcon: class {},
  ThemeColor: class {},
  EventEmitter: class {},
  ViewColumn: { One: 1, Beside: -2 },
  env: { language: 'en' },
  l10n: {},
  window: { createWebviewPanel, registerWebviewPanelSerializer: () => ({ dispose() {} }) },
}));

const listen = () => ({ dispose() {} });

it('shows on the page of a job that it was deleted', async () => {
  const folder = await temporaryFolder();
  const run = { file: '/t/a.tasks.json', task_id: 'a', index: 0, group_id: 'g', seed: 0, agent: 'noop' };
  const runs = ['r', 's'].map((run_id) => ({ ...run, run_id, placement: 'local', error: null }));
  const times = { startedAt: '2026-01-01T00:00:00.000Z', endedAt: '2026-01-02T00:00:00.000Z' };
  const plan = { cwd: '/t', runs };
  const entry = { folder, jobId: 'j', plan, runs: [], problems: [], running: false, ...times };
  const events = new EventEmitter();
  const history = {
    jobs: [entry],
    onDidChange: (listener: () => void) => events.on('change', listener),
  };
  const jobs = { onDidStart: listen, onDidChange: listen, activeIn: () => undefined };
  const posted: { type: string; message?: string }[] = [];
  const webview = {
    asWebviewUri: (uri: unknown) => uri,
    postMessage: (message: { type: string }) => void posted.push(message),
    onDidReceiveMessage: (listener: () => void) => events.on('message', listener),
  };
  const panel = { webview, title: '', visible: true, onDidDispose: listen, onDidChangeViewState: listen, dispose() {} };
  createWebviewPanel.mockReturnValueOnce(panel);
  const panels = new JobPanel({ path: '/x' } as never, {} as never, { history, jobs, panels: {} } as never);
  await panels.open(folder);
  events.emit('message', { type: 'ready' });
  await vi.waitFor(() => expect(posted).toEqual([expect.objectContaining({ type: 'job' })]));
  await rm(folder, { recursive: true });
  history.jobs = [];
  events.emit('change');
  await vi.waitFor(() => expect(posted.at(-1)).toEqual({ type: 'failed', message: 'The job was deleted.' }));
  expect(panel.title).toBe('Job');
});
