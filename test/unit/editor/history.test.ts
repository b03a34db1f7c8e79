import { EventEmitter } from 'node:events';
import { rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import { RunHistory } from '../../../src/editor/runs/history.ts';
import { jobsFolder, startJob } from '../../../src/runs/job/job.ts';
import { temporaryFolder } from '../runs/tasks.ts';

// Other test files of the worker load the same modules with a `vscode` of their own.
vi.hoisted(() => vi.resetModules());
afterAll(() => void vi.resetModules());

const workspace = vi.hoisted(() => ({ folder: '' }));

vi.mock('vscode', () => {
  const listen = () => ({ dispose() {} });
  return {
    EventEmitter: class {
      readonly #events = new EventEmitter();
      readonly event = (listener: () => void) => this.#events.on('event', listener);
      fire(): void {
        this.#events.emit('event');
      }
      dispose(): void {}
    },
    commands: { executeCommand: () => Promise.resolve() },
    workspace: {
      createFileSystemWatcher: () => ({ onDidCreate: listen, onDidDelete: listen, dispose() {} }),
      onDidChangeWorkspaceFolders: listen,
      get workspaceFolders() {
        return [{ uri: { scheme: 'file', fsPath: workspace.folder } }];
      },
    },
  };
});

/** The history of a new workspace, whose folder of jobs is `root`, with a function that reads it again. */
async function historyOf() {
  workspace.folder = await temporaryFolder();
  const history = new RunHistory({ warn: vi.fn(), error: vi.fn() } as never);
  onTestFinished(() => history.dispose());
  const read = async () => {
    const changed = new Promise<void>((resolve) => history.onDidChange(() => resolve()));
    history.refresh();
    await changed;
    return [history.jobs.length, history.problem];
  };
  return { root: jobsFolder(workspace.folder), history, read };
}

it('keeps the jobs of a folder that cannot be read, and reports why until it can be read', async () => {
  const { root, history, read } = await historyOf();
  await (await startJob(root, { retention: null })).end();
  await history.load();
  expect([history.jobs.length, history.problem]).toEqual([1, undefined]);
  await rename(root, `${root}.moved`);
  await writeFile(root, '');
  expect(await read()).toEqual([1, `${root} cannot be read: a file is in place of a folder.`]);
  await rm(root);
  await rename(`${root}.moved`, root);
  expect(await read()).toEqual([1, undefined]);
});

it('lists the other jobs if one cannot be read, and reports why', async () => {
  const { root, history, read } = await historyOf();
  const jobs = [await startJob(root, { retention: null }), await startJob(root, { retention: null })];
  for (const job of jobs) await job.end();
  await history.load();
  const owner = join(jobs[0]?.folder ?? '', 'owner.json');
  await symlink('owner.json', owner);
  const problem = `${jobs[0]?.folder} cannot be read: the symbolic link refers to itself.`;
  expect(await read()).toEqual([1, problem]);
  await rm(owner);
  expect(await read()).toEqual([2, undefined]);
});
