import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import { EnvironmentsView } from '../../../src/editor/environments-view/environments-view.ts';
import { LiveRun } from '../../../src/editor/runs/live-run.ts';
import type { RunEvent } from '../../../src/runs/events.ts';
import { task } from '../runs/tasks.ts';

// Other test files of the worker load the same modules with a `vscode` of their own.
vi.hoisted(() => vi.resetModules());
afterAll(() => void vi.resetModules());

vi.mock('vscode', () => ({
  EventEmitter: class {
    event = () => ({ dispose: () => {} });
    fire = () => {};
    dispose = () => {};
  },
  TreeItem: class {},
  ThemeIcon: class {},
  window: { createTreeView: () => ({ onDidChangeVisibility: () => ({ dispose: () => {} }), dispose: () => {} }) },
  commands: { executeCommand: async () => undefined },
}));

const event = () => ({ dispose: () => {} });

function viewOf(active: readonly LiveRun[], ended: string[] = []): EnvironmentsView {
  const runs = {
    active,
    onDidStart: event,
    onDidProgress: event,
    onDidEnd: event,
    end: async () => ended.push('runs'),
  };
  const jobs = { end: () => ended.push('jobs') };
  const serving = { served: [], onDidChange: event, end: async () => ended.push('servers') };
  const placements = { running: async () => [] };
  const view = new EnvironmentsView(placements as never, runs as never, jobs as never, serving as never);
  onTestFinished(() => view.dispose());
  return view;
}

it('finds the runs in an environment, also if their secrets are masked', () => {
  const started = task({ sensitive_data: { shop: { password: 'secret' } } });
  const shared = { agent: 'noop', seed: 0, runtime: 'local', foreground: false, manualInput: null } as const;
  const [run, other] = [new LiveRun({ ...shared, task: started }), new LiveRun({ ...shared, task: task() })];
  const masked = { ...started, sensitive_data: { shop: { password: '•' } } };
  run.handle({ type: 'started', traceDir: '/t', header: { task: masked } } as unknown as RunEvent);
  expect(run.task).not.toBe(started);

  const node = { environment: { tasks: [started] }, usage: null, label: '' };
  expect(viewOf([run, other]).runsIn(node as never)).toEqual([run]);
});

it('stops jobs before their runs, so that no job starts another', async () => {
  const ended: string[] = [];
  await viewOf([], ended).stopAll();
  expect(ended).toEqual(['jobs', 'runs', 'servers']);
});
