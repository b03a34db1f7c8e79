import { EventEmitter } from 'node:events';
import { expect, it, vi } from 'vitest';
import { RunPanel } from '../../../src/editor/panel/run-panel.ts';
import type { ShownRun } from '../../../src/editor/runs/shown-run.ts';
import { TraceError } from '../../../src/runs/store/trace-file.ts';
import { task } from '../runs/tasks.ts';

const showErrorMessage = vi.hoisted(() => vi.fn((_message: string) => Promise.resolve(undefined)));

vi.mock('vscode', () => {
  const uri = (path: string) => ({ path, fsPath: path, toString: () => path });
  return {
    Uri: { file: uri, joinPath: ({ path }: { path: string }, ...names: string[]) => uri([path, ...names].join('/')) },
    ThemeIcon: class {},
    ThemeColor: class {},
    TabInputWebview: class {},
    ViewColumn: { One: 1, Beside: -2 },
    env: { language: 'en' },
    l10n: {},
    window: {
      showErrorMessage,
      showTextDocument: () => Promise.reject(new Error('There is no such file.')),
      visibleTextEditors: [],
      tabGroups: { activeTabGroup: {}, all: [] },
    },
    workspace: { workspaceFolders: [] },
  };
});

const DAMAGED = new TraceError('trace_broken', 'trace.jsonl:5: The line is damaged.');

function recorded(of: Partial<ShownRun>): ShownRun {
  return {
    runId: 'run',
    traceDir: '/w/run',
    task: task({}),
    prompt: 'Place the order.',
    agent: 'noop',
    seed: 0,
    runtime: 'local',
    startedAt: '2026-11-26T12:00:00.000Z',
    status: 'running',
    record: null,
    steps: () => Promise.resolve([]),
    step: () => Promise.resolve(undefined),
    ...of,
  };
}

/** A panel whose page is loaded, and what was posted to it. */
function opened(run: ShownRun, tools: object = {}) {
  const events = new EventEmitter();
  const listen = () => ({ dispose() {} });
  const posted: { type: string; message?: string }[] = [];
  const webview = {
    asWebviewUri: (uri: unknown) => uri,
    postMessage: (message: { type: string }) => void posted.push(message),
    onDidReceiveMessage: (listener: () => void) => events.on('message', listener),
  };
  const panel = new RunPanel(
    { webview, visible: true, viewType: 'other', onDidDispose: listen, onDidChangeViewState: listen } as never,
    {
      extensionUri: { path: '/x' },
      log: { warn: vi.fn(), error: vi.fn() },
      values: { onDidMove: listen, track: () => Promise.resolve(), release() {}, mark() {} },
      changed() {},
      ...tools,
    } as never,
  );
  panel.show(run);
  events.emit('message', { type: 'ready' });
  return { posted, say: (message: object) => events.emit('message', message) };
}

it('says why a run with a damaged trace cannot be shown', async () => {
  const { posted } = opened(recorded({ steps: () => Promise.reject(DAMAGED) }));
  await vi.waitFor(() => expect(posted).toContainEqual({ type: 'failed', message: DAMAGED.message }));
});

it.each(['text', 'raw'])('says why the %s of a step cannot be read', async (type) => {
  const { posted, say } = opened(recorded({ step: () => Promise.reject(DAMAGED) }));
  await vi.waitFor(() => expect(posted).toContainEqual(expect.objectContaining({ type: 'run' })));
  say({ type, index: 0 });
  await vi.waitFor(() => expect(posted).toContainEqual({ type: 'failed', message: DAMAGED.message }));
});

it.each([
  ['saveSolution', 'The solution is read-only.'],
  ['openTrace', 'There is no such file.'],
])('says why %s fails', async (type, message) => {
  const saveSolution = () => Promise.reject(new Error(message));
  const { say } = opened(recorded({}), { saveSolution });
  say({ type });
  await vi.waitFor(() => expect(showErrorMessage).toHaveBeenCalledWith(expect.stringContaining(message), 'Show Log'));
});

it('shows a run of another process again that was started again, and that it was deleted', async () => {
  const deleted = new TraceError('trace_missing', '/w/run no longer exists.');
  const refresh = vi.fn((): Promise<'all'> => Promise.reject(deleted)).mockResolvedValueOnce('all');
  const { posted } = opened(recorded({ refresh }));
  const runs = () => posted.filter(({ type }) => type === 'run').length;
  await vi.waitFor(() => expect(runs()).toBe(2));
  await vi.waitFor(() => expect(posted).toContainEqual({ type: 'failed', message: deleted.message }));
});
