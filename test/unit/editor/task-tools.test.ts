import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type * as vscode from 'vscode';
import { registerTaskTools } from '../../../src/editor/task-tools/task-tools.ts';

// Other test files of the worker load the same modules with a `vscode` of their own.
vi.hoisted(() => vi.resetModules());
afterAll(() => void vi.resetModules());

type Invoke = (options: { input: unknown }, token: unknown) => Promise<unknown>;

const window = vi.hoisted(() => ({
  tools: new Map<string, Invoke>(),
  folders: [] as unknown[],
  documents: [] as { uri: { path: string }; isDirty: boolean; save: () => Promise<boolean> }[],
  saved: [] as string[],
  /** Carries out a command line. */
  run: async (_args: readonly string[], _signal: AbortSignal) => ({ out: '{"runs":[]}', notes: '', exit: 0 }),
}));

vi.mock('vscode', () => ({
  Disposable: {
    from: (...items: readonly { dispose(): void }[]) => ({
      dispose: () => {
        for (const item of items) item.dispose();
      },
    }),
  },
  lm: {
    registerTool: (name: string, { invoke }: { invoke: Invoke }) => {
      window.tools.set(name, invoke);
      return { dispose: () => {} };
    },
  },
  workspace: {
    isTrusted: true,
    get workspaceFolders() {
      return window.folders;
    },
    get textDocuments() {
      return window.documents;
    },
    getWorkspaceFolder: () => window.folders[0],
    onDidSaveTextDocument: () => ({ dispose: () => {} }),
  },
  LanguageModelToolResult: class {
    readonly content: readonly unknown[];
    constructor(content: readonly unknown[]) {
      this.content = content;
    }
  },
  LanguageModelTextPart: class {
    readonly value: string;
    constructor(value: string) {
      this.value = value;
    }
  },
}));

vi.mock('../../../src/editor/task-tools/command-line.ts', () => ({
  commandLineIn: () => ({
    folder: '/w',
    runOptions: [],
    run: (args: readonly string[], signal: AbortSignal) => window.run(args, signal),
  }),
}));

const EXTENSION = { fsPath: '/extension' } as vscode.Uri;
const NEVER = { onCancellationRequested: () => ({ dispose: () => {} }) };

async function invoke(name: string, input: unknown): Promise<unknown> {
  return await window.tools.get(`taskwright_${name}`)?.({ input }, NEVER);
}

beforeEach(() => {
  window.folders = [{ uri: { fsPath: '/w' } }];
  window.saved = [];
  window.documents = ['a.tasks.json', 'a.actions', 'a.functions.ts', 'notes.md'].map((name) => ({
    uri: { path: `/w/${name}` },
    isDirty: true,
    save: async () => {
      window.saved.push(name);
      return true;
    },
  }));
});

describe('a tool of VS Code', () => {
  it.each([
    ['list_tasks', {}, ['a.tasks.json', 'a.actions', 'a.functions.ts']],
    ['validate_tasks', {}, ['a.tasks.json', 'a.actions', 'a.functions.ts']],
    ['validate_tasks', { repair: 'safe' }, ['a.tasks.json', 'a.actions', 'a.functions.ts', 'notes.md']],
    ['run_task', { address: 'a' }, ['a.tasks.json', 'a.actions', 'a.functions.ts', 'notes.md']],
    ['read_run', { run: 'r' }, []],
    ['explain_rule', { code: 'unknown-function' }, []],
  ])('%s %j saves what it reads', async (name, input, saved) => {
    registerTaskTools(EXTENSION);
    await invoke(name, input);
    expect(window.saved).toEqual(saved);
  });

  it('saves nothing for input that it refuses', async () => {
    registerTaskTools(EXTENSION);
    await expect(invoke('run_task', {})).rejects.toThrow(/address/);
    expect(window.saved).toEqual([]);
  });

  it('explains a rule without a folder', async () => {
    window.folders = [];
    registerTaskTools(EXTENSION);
    const { content } = (await invoke('explain_rule', { code: 'unknown-function' })) as {
      content: { value: string }[];
    };
    expect(content.map(({ value }) => value).join('\n')).toMatch(/^# .*unknown-function/s);
    await expect(invoke('list_tasks', {})).rejects.toThrow(/Open a folder/);
  });

  it('is cancelled when the extension is deactivated', async () => {
    const started = Promise.withResolvers<AbortSignal>();
    const ended = Promise.withResolvers<{ out: string; notes: string; exit: number }>();
    window.run = (_args, signal) => {
      started.resolve(signal);
      return ended.promise;
    };
    const registered = registerTaskTools(EXTENSION);
    const use = invoke('list_tasks', {});
    const signal = await started.promise;
    expect(signal.aborted).toBe(false);
    registered.dispose();
    expect(signal.aborted).toBe(true);
    ended.resolve({ out: '', notes: '', exit: 0 });
    await use;
  });
});
