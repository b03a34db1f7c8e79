import { EventEmitter } from 'node:events';
import { rm } from 'node:fs/promises';
import { afterAll, expect, it, vi } from 'vitest';
import { RunPanels } from '../../../src/editor/panel/panels.ts';
import { RunPanel } from '../../../src/editor/panel/run-panel.ts';
import type { ReadableRun } from '../../../src/presentation/runs/readable-run.ts';
import { RunFailure } from '../../../src/runs/run/failure.ts';
import { TraceError } from '../../../src/traces/trace-file.ts';
import { task, temporaryFolder } from '../runs/tasks.ts';

// Other test files of the worker load the same modules with a `vscode` of their own.
vi.hoisted(() => vi.resetModules());
afterAll(() => void vi.resetModules());

const showErrorMessage = vi.hoisted(() => vi.fn((_message: string) => Promise.resolve(undefined)));
const createWebviewPanel = vi.hoisted(() => vi.fn());
const executeCommand = vi.hoisted(() => vi.fn(() => Promise.resolve()));

vi.mock('vscode', () => {
  const dispose = () => ({ dispose() {} });
  const uri = (path: string) => ({ path, fsPath: path, toString: () => path });
  return {
    Uri: { file: uri, joinPath: ({ path }: { path: string }, ...names: string[]) => uri([path, ...names].join('/')) },
    ThemeIcon: class {},
    ThemeColor: class {},
    TabInputWebview: class {},
    EventEmitter: class {},
    commands: { executeCommand },
    ViewColumn: { One: 1, Beside: -2 },
    env: { language: 'en' },
    l10n: {},
    window: {
      showErrorMessage,
      createWebviewPanel,
      showTextDocument: () => Promise.reject(new Error('There is no such file.')),
      registerWebviewPanelSerializer: dispose,
      onDidChangeTextEditorSelection: dispose,
      visibleTextEditors: [],
      tabGroups: { activeTabGroup: {}, all: [] },
    },
    workspace: {
      workspaceFolders: [],
      getWorkspaceFolder: ({ fsPath }: { fsPath: string }) =>
        fsPath.startsWith('/w/') ? { uri: uri('/w') } : undefined,
    },
  };
});

const DAMAGED = new TraceError('trace_broken', 'trace.jsonl:5: The line is damaged.');

function recorded(of: Partial<ReadableRun>): ReadableRun {
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

const listen = () => ({ dispose() {} });

/** A webview panel, and what was posted to its page. */
function webviewPanel() {
  const events = new EventEmitter();
  const posted: { type: string; message?: string }[] = [];
  const webview = {
    asWebviewUri: (uri: unknown) => uri,
    postMessage: (message: { type: string }) => void posted.push(message),
    onDidReceiveMessage: (listener: () => void) => events.on('message', listener),
  };
  const state = { visible: true, active: true, viewType: 'taskwright.run', title: '', reveal() {} };
  const panel = { webview, ...state, onDidDispose: listen, onDidChangeViewState: listen };
  return { panel, posted, say: (message: object) => events.emit('message', message) };
}

/** A panel whose page is loaded. */
function opened(run: ReadableRun, tools: object = {}) {
  const { panel: webview, posted, say } = webviewPanel();
  const panel = new RunPanel(
    webview as never,
    {
      extensionUri: { path: '/x' },
      log: { warn: vi.fn(), error: vi.fn() },
      values: { onDidMove: listen, track: () => Promise.resolve(), release() {}, mark() {} },
      onChange() {},
      ...tools,
    } as never,
  );
  panel.show(run);
  say({ type: 'ready' });
  return { posted, say };
}

it('shows why a run with a damaged trace cannot be read', async () => {
  const { posted } = opened(recorded({ steps: () => Promise.reject(DAMAGED) }));
  await vi.waitFor(() => expect(posted).toContainEqual({ type: 'failed', message: DAMAGED.message }));
});

it.each(['text', 'raw'])('shows why the %s of a step cannot be read', async (type) => {
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
  const runs = () => posted.filter(({ type }) => type === 'run').length;
  const refresh = vi
    .fn((): Promise<'all'> => Promise.reject(deleted))
    .mockImplementationOnce(async () => {
      await vi.waitFor(() => expect(runs()).toBe(1));
      return 'all';
    });
  const { posted } = opened(recorded({ refresh }));
  await vi.waitFor(() => expect(runs()).toBe(2));
  await vi.waitFor(() => expect(posted).toContainEqual({ type: 'failed', message: deleted.message }));
});

it('shows of a run that has ended that it was deleted, and none of its buttons', async () => {
  const traceDir = await temporaryFolder();
  const changes = new EventEmitter();
  const onDidChange = (listener: () => void) => changes.on('change', listener);
  const values = { onDidMove: listen, track: () => Promise.resolve(), release: vi.fn(), mark() {} };
  const parts = { runs: { onDidStart: listen }, history: { onDidChange, entries: [] }, values };
  const panels = new RunPanels({ path: '/x' } as never, { warn: vi.fn() } as never, parts as never);
  const { panel, posted, say } = webviewPanel();
  createWebviewPanel.mockReturnValueOnce(panel);
  const ended = { status: 'completed', reward: 1, success: true, error: null, retried: [], grade: { subscores: [] } };
  const run = recorded({ traceDir, record: ended as never });
  await panels.show(run);
  say({ type: 'ready' });
  await vi.waitFor(() => expect(posted).toContainEqual(expect.objectContaining({ type: 'run' })));
  expect(executeCommand).toHaveBeenCalledWith('setContext', 'taskwright.showsRun', true);
  changes.emit('change');
  await rm(traceDir, { recursive: true });
  expect(posted.filter(({ type }) => type === 'failed')).toEqual([]);
  changes.emit('change');
  await vi.waitFor(() => expect(posted).toContainEqual({ type: 'failed', message: 'The run was deleted.' }));
  expect([panel.title, panels.current?.run]).toEqual(['Run', undefined]);
  expect(values.release).toHaveBeenCalledWith(run);
  expect(executeCommand).toHaveBeenCalledWith('setContext', 'taskwright.showsRun', false);
});

it('offers to keep a run where old jobs are removed, and the opposite once the history has read it again', async () => {
  const changes = new EventEmitter();
  const onDidChange = (listener: () => void) => changes.on('change', listener);
  const values = { onDidMove: listen, track: () => Promise.resolve(), release: vi.fn(), mark() {} };
  const history = { onDidChange, entries: [] as object[], load: async () => {} };
  const panels = new RunPanels(
    { path: '/x' } as never,
    { warn: vi.fn() } as never,
    { runs: { onDidStart: listen }, history, values } as never,
  );
  createWebviewPanel.mockReturnValueOnce(webviewPanel().panel);
  const shownKept = () =>
    (executeCommand.mock.calls as unknown[][]).findLast(([, key]) => key === 'taskwright.shownKept')?.[2];
  const record = { status: 'completed', reward: 1, success: true, error: null, grade: { subscores: [] } } as never;
  const traceDir = '/w/.taskwright/jobs/job/run';

  await panels.show(recorded({ traceDir }));
  expect(shownKept()).toBe('');
  await panels.show(recorded({ traceDir: '/w/out/job/run', record }));
  expect(shownKept()).toBe('');
  await panels.show(recorded({ traceDir: '/elsewhere/.taskwright/jobs/job/run', record }));
  expect(shownKept()).toBe('');
  await panels.show(recorded({ traceDir, record }));
  expect(shownKept()).toBe('no');
  const read = (entry: object) => {
    history.entries = [{ traceDir, writtenAt: 1, run: {}, ...entry }];
    changes.emit('change');
    return shownKept();
  };
  expect(read({ run: { kept: true } })).toBe('yes');
  expect(read({})).toBe('no');
  expect(read({ writtenAt: null })).toBe('');
});

it('shows in the editor of a trajectory why it cannot be stored', async () => {
  const log = { error: vi.fn() };
  const parts = { runs: { onDidStart: listen }, history: { onDidChange: listen }, values: { onDidMove: listen } };
  const panels = new RunPanels({ path: '/x' } as never, log as never, parts as never);
  const { panel, posted, say } = webviewPanel();
  const message = 'The trace cannot be written: the disk is full.';
  await panels.showIn(panel as never, () => Promise.reject(new RunFailure({ message, code: 'trace_unwritable' })));
  say({ type: 'ready' });
  await vi.waitFor(() => expect(posted).toContainEqual({ type: 'failed', message }));
  expect(log.error).toHaveBeenCalledOnce();
});
