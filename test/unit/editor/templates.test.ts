import { EventEmitter } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import { EnvironmentTemplates } from '../../../src/editor/tasks/templates.ts';
import { serveMethods } from '../environments/hud/recorded-server.ts';

// Other test files of the worker load the same modules with a `vscode` of their own.
vi.hoisted(() => vi.resetModules());
afterAll(() => void vi.resetModules());

const editor = vi.hoisted(() => ({
  /** How often it was asked. */
  trustLooks: 0,
  documentLooks: 0,
  get isTrusted() {
    this.trustLooks += 1;
    return this.trusted;
  },
  get textDocuments() {
    this.documentLooks += 1;
    return this.documents;
  },
  trusted: true,
  documents: [] as { uri: { fsPath: string } }[],
  fire: {} as Record<string, (event: unknown) => void>,
  statuses: [] as { text: string; severity: string; busy: boolean; isDisposed: boolean }[],
}));
const startEnvServer = vi.hoisted(() => vi.fn());
const findPresent = vi.fn();

vi.mock('vscode', () => {
  const event = (name: string) => (listener: (event: unknown) => void) => {
    editor.fire[name] = listener;
    return { dispose() {} };
  };
  return {
    Disposable: { from: () => ({ dispose() {} }) },
    EventEmitter: class {
      readonly #events = new EventEmitter();
      readonly event = (listener: (value: unknown) => void) => this.#events.on('event', listener);
      fire(value: unknown): void {
        this.#events.emit('event', value);
      }
      dispose(): void {}
    },
    RelativePattern: class {},
    Uri: { file: (fsPath: string) => ({ fsPath }) },
    LanguageStatusSeverity: { Information: 'information', Warning: 'warning' },
    languages: {
      match: () => 1,
      createLanguageStatusItem: () => {
        const status = {
          text: '',
          severity: '',
          busy: false,
          isDisposed: false,
          dispose: () => (status.isDisposed = true),
        };
        editor.statuses.push(status);
        return status;
      },
    },
    workspace: Object.assign(editor, {
      createFileSystemWatcher: () => ({
        onDidCreate: event('created'),
        onDidChange: event('changed'),
        onDidDelete: event('deleted'),
        dispose() {},
      }),
      onDidSaveTextDocument: event('saved'),
      onDidOpenTextDocument: event('opened'),
      onDidGrantWorkspaceTrust: event('trusted'),
    }),
  };
});
vi.mock('../../../src/placement/hud/env-server.ts', () => ({ startEnvServer }));

const template = (id: string) => ({ id, description: '', args: { type: 'object', properties: {} } });
const COUNT = [template('count')];

const stored = new Map<string, unknown>();
let folder: string;

beforeEach(() => {
  stored.clear();
  Object.assign(editor, { trusted: true, documents: [], statuses: [], trustLooks: 0, documentLooks: 0 });
  startEnvServer.mockReset();
  findPresent.mockReset().mockResolvedValue(null);
  folder = mkdtempSync(join(tmpdir(), 'taskwright-templates-'));
  const made = folder;
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
});

function opened() {
  const memento = {
    get: (key: string, initial: unknown) => stored.get(key) ?? initial,
    update: async (key: string, value: unknown) => void stored.set(key, value),
  };
  const log = { warn: vi.fn(), debug: vi.fn() };
  const templates = new EnvironmentTemplates(memento as never, log as never, { findPresent });
  onTestFinished(() => templates.dispose());
  return { templates, log };
}

async function serving(listed: () => Json): Promise<string> {
  const { address } = await serveMethods((method) => ({ result: method === 'tasks.list' ? { tasks: listed() } : {} }));
  return address;
}

const openTasks = () => editor.documents.push({ uri: { fsPath: join(folder, 'a.task.json') } });
const row = (env: string) => ({ env, id: 'count' });
const inImage = { ...row('lab'), runtime_config: { image: 'lab:1' } };

it('reads the templates of an open file’s code once, from a separate server, and stores them until the code changes', async () => {
  let listed = COUNT;
  const address = await serving(() => listed);
  const stop = vi.fn(async () => {});
  startEnvServer.mockImplementation(async () => ({ address, stop }));
  writeFileSync(join(folder, 'env.py'), '1');
  const first = opened();
  const { templates } = first;
  const changed = vi.fn();
  templates.onDidChange(changed);
  expect(templates.of(folder, row('lab'))).toBeUndefined();
  openTasks();
  await vi.waitFor(() => expect(templates.of(folder, row('lab'))).toEqual(COUNT), 10_000);
  expect(startEnvServer).toHaveBeenCalledWith(expect.objectContaining({ hud: join(folder, 'env.py'), name: 'lab' }));
  expect(stop).toHaveBeenCalledOnce();
  expect(changed.mock.calls).toEqual([[folder]]);
  expect(editor.statuses.map(({ isDisposed }) => isDisposed)).toEqual([true]);

  const again = opened().templates;
  again.of(folder, row('lab'));
  await vi.waitFor(() => expect(again.of(folder, row('lab'))).toEqual(COUNT), 10_000);
  expect(startEnvServer).toHaveBeenCalledOnce();

  listed = [template('count'), template('spell')];
  mkdirSync(join(folder, 'words'));
  writeFileSync(join(folder, 'words', 'more.py'), '2');
  editor.fire['saved']?.({ uri: { fsPath: join(folder, 'words', 'more.py') }, languageId: 'python' });
  // What it said before is not believed any longer.
  expect(again.of(folder, row('lab'))).toBeUndefined();
  await vi.waitFor(() => expect(again.of(folder, row('lab'))).toEqual(listed), 10_000);
});

it('starts nothing in a workspace that is not trusted, or for a file that is not open', async () => {
  writeFileSync(join(folder, 'env.py'), '1');
  const { templates } = opened();
  const start = vi.fn();
  findPresent.mockResolvedValue({ version: 'sha256:1', start });
  expect(templates.of(folder, inImage)).toBeUndefined();
  expect(templates.of(folder, row('lab'))).toBeUndefined();
  await vi.waitFor(() => expect(editor.documentLooks).toBe(2), 10_000);
  editor.trusted = false;
  openTasks();
  const { trustLooks } = editor;
  editor.fire['opened']?.({});
  await vi.waitFor(() => expect(editor.trustLooks).toBeGreaterThan(trustLooks), 10_000);
  expect(startEnvServer).not.toHaveBeenCalled();
  expect(start).not.toHaveBeenCalled();
  expect(findPresent).toHaveBeenCalledOnce();
});

it('reads the templates of a present image once, in a separate container, and again when its name refers to another', async () => {
  let listed = COUNT;
  const address = await serving(() => listed);
  const stop = vi.fn(async () => {});
  const start = vi.fn(async () => ({ address, stop }));
  findPresent.mockResolvedValue({ version: 'sha256:1', start });
  openTasks();
  const { templates } = opened();
  templates.of(folder, inImage);
  await vi.waitFor(() => expect(templates.of(folder, inImage)).toEqual(COUNT), 10_000);
  expect(findPresent.mock.calls[0]?.[0]).toMatchObject({ hudImage: 'lab:1' });
  expect(stop).toHaveBeenCalledOnce();

  const again = opened().templates;
  again.of(folder, inImage);
  await vi.waitFor(() => expect(again.of(folder, inImage)).toEqual(COUNT), 10_000);
  expect(start).toHaveBeenCalledOnce();

  listed = [template('count'), template('spell')];
  findPresent.mockResolvedValue({ version: 'sha256:2', start });
  editor.fire['opened']?.({});
  await vi.waitFor(() => expect(again.of(folder, inImage)).toEqual(listed), 10_000);
  expect(start).toHaveBeenCalledTimes(2);
});

it('reports once why the templates are not known', async () => {
  writeFileSync(join(folder, 'env.py'), '1');
  startEnvServer.mockRejectedValue(
    new Error('The environment did not start\nInstall HUD: pip install hud\nLast output:'),
  );
  openTasks();
  const { templates, log } = opened();
  templates.of(folder, row('lab'));
  await vi.waitFor(() => expect(log.warn).toHaveBeenCalledOnce(), 10_000);
  expect(log.warn.mock.calls[0]?.[0]).toContain('Install HUD: pip install hud');
  const text = 'The templates of “lab” are not known';
  expect(editor.statuses).toMatchObject([{ busy: false, severity: 'warning', text }]);
  expect(templates.of(folder, row('lab'))).toBeUndefined();
});

it('reads the templates of an environment at an address', async () => {
  const address = await serving(() => COUNT);
  openTasks();
  const { templates } = opened();
  templates.of(folder, row(address));
  await vi.waitFor(() => expect(templates.of(folder, row(address))).toEqual(COUNT), 10_000);
  expect(startEnvServer).not.toHaveBeenCalled();
});

it('reads the templates of an absent image when it runs for a task, and stores them', async () => {
  const address = await serving(() => COUNT);
  const file = join(folder, 'a.task.json');
  const { templates, log } = opened();
  const changed = vi.fn();
  templates.onDidChange(changed);
  openTasks();
  expect(templates.of(folder, inImage)).toBeUndefined();
  const running = (image: string, hudAddress?: string) =>
    ({
      name: 'lab',
      hudAddress,
      tasks: [{ file, env: { type: 'hud', name: 'lab', runtime_config: { image } } }],
    }) as never;

  await templates.learnFrom([running('lab:2', address), running('lab:1')]);
  expect(templates.of(folder, inImage)).toBeUndefined();
  const one = running('lab:1', address);
  await templates.learnFrom([one]);
  expect(templates.of(folder, inImage)).toEqual(COUNT);
  expect(changed.mock.calls).toEqual([[folder]]);
  await templates.learnFrom([running('lab:1', 'tcp://127.0.0.1:1')]);
  expect(log.warn).toHaveBeenCalledOnce();
  expect(templates.of(folder, inImage)).toEqual(COUNT);

  const again = opened().templates;
  again.of(folder, inImage);
  await vi.waitFor(() => expect(again.of(folder, inImage)).toEqual(COUNT), 10_000);
  expect(startEnvServer).not.toHaveBeenCalled();
});
