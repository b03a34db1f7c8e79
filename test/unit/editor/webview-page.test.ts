import { EventEmitter } from 'node:events';
import { afterAll, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { restorePanels, WebviewPage } from '../../../src/editor/panel/webview-page.ts';

// Other test files of the worker load the same modules with a `vscode` of their own.
vi.hoisted(() => vi.resetModules());
afterAll(() => void vi.resetModules());

const registerWebviewPanelSerializer = vi.hoisted(() => vi.fn());

vi.mock('vscode', () => ({
  Uri: { joinPath: ({ path }: { path: string }, ...names: string[]) => ({ path: [path, ...names].join('/') }) },
  ViewColumn: { Beside: -2 },
  env: { language: 'en' },
  l10n: {},
  window: { registerWebviewPanelSerializer },
}));

const schema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('open'), id: z.number() }),
]);

/** A page in a panel that is visible. Its messages are texts. */
function openPage() {
  const events = new EventEmitter();
  const posted: string[] = [];
  const listen = (name: string) => (listener: () => void) => events.on(name, listener);
  const webview = {
    asWebviewUri: ({ path }: { path: string }) => path,
    postMessage: (message: string) => void posted.push(message),
    onDidReceiveMessage: listen('message'),
    html: '',
  };
  const panel = {
    ...{ webview, visible: true, onDidDispose: listen('dispose'), onDidChangeViewState: listen('view') },
    dispose: () => void events.emit('dispose'),
  };
  const log = { warn: vi.fn() };
  const parts = {
    ...{ extensionUri: { path: '/x' }, log, label: 'The panel', script: 'job' },
    messageSchema: () => Promise.resolve(schema),
    answer: vi.fn(() => Promise.resolve()),
    renew: vi.fn(() => page.show('everything')),
    onStateChange: vi.fn(),
    onClose: vi.fn(),
  };
  const page: WebviewPage<string, z.infer<typeof schema>> = new WebviewPage(panel as never, parts as never);
  const say = async (message: object) => {
    events.emit('message', message);
    await new Promise(setImmediate);
  };
  const turn = (visible: boolean) => {
    panel.visible = visible;
    events.emit('view');
  };
  return { page, webview, parts, posted, say, turn };
}

it('keeps what is posted until its page is ready', async () => {
  const { page, webview, parts, posted, say } = openPage();
  expect(webview.html).toContain('src="/x/dist/job.js"');
  page.update('an update of nothing');
  page.show('a run');
  page.update('an update of the run');
  page.show('another run');
  page.update('an update of the other run');
  expect(posted).toEqual([]);
  await say({ type: 'ready' });
  expect(posted).toEqual(['another run', 'an update of the other run']);
  page.update('more');
  expect(posted.slice(2)).toEqual(['more']);
  expect(parts.renew).not.toHaveBeenCalled();
});

it('is renewed when a page that was hidden, or loaded again, is ready', async () => {
  const { page, parts, posted, say, turn } = openPage();
  page.show('a run');
  turn(false);
  page.show('a run that nobody sees');
  turn(true);
  expect(page.state).toBe('hidden');
  await say({ type: 'ready' });
  await say({ type: 'ready' });
  expect(posted).toEqual(['everything', 'everything']);
  page.load([]);
  page.show('a run');
  await say({ type: 'ready' });
  expect(posted.slice(2)).toEqual(['a run']);
  expect(parts.onStateChange).toHaveBeenCalledTimes(5);
});

it('answers valid messages, and drops others with a line in the log', async () => {
  const { parts, say } = openPage();
  await say({ type: 'open', id: 'first' });
  expect(parts.answer).not.toHaveBeenCalled();
  expect(parts.log.warn).toHaveBeenCalledExactlyOnceWith(
    expect.stringContaining('The panel: the page posted an invalid'),
  );
  await say({ type: 'open', id: 1 });
  expect(parts.answer).toHaveBeenCalledExactlyOnceWith({ type: 'open', id: 1 });
});

it('posts nothing to a closed panel', async () => {
  const { page, parts, posted, say } = openPage();
  await say({ type: 'ready' });
  page.dispose();
  expect(parts.onClose).toHaveBeenCalledOnce();
  page.show('a run');
  expect(posted).toEqual([]);
});

it('restores panels with a valid state, and closes others', async () => {
  const restore = vi.fn();
  restorePanels('taskwright.test', () => Promise.resolve(z.object({ folder: z.string() })), restore);
  const [viewType, { deserializeWebviewPanel }] = registerWebviewPanelSerializer.mock.lastCall ?? [];
  expect(viewType).toBe('taskwright.test');
  const panel = { dispose: vi.fn() };
  await deserializeWebviewPanel(panel, { folder: '/jobs/j' });
  expect(restore).toHaveBeenCalledExactlyOnceWith(panel, { folder: '/jobs/j' });
  expect(panel.dispose).not.toHaveBeenCalled();
  await deserializeWebviewPanel(panel, {});
  expect(panel.dispose).toHaveBeenCalledOnce();
  expect(restore).toHaveBeenCalledOnce();
});
