import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { TaskDebugSession } from '../../debugger/adapter.ts';
import { DebugError } from '../../debugger/debuggee.ts';
import type { DebugRunRequest } from '../../debugger/host.ts';
import { parseAddress, selectRow } from '../../tasks/address.ts';
import { loadTaskFile } from '../../tasks/discover.ts';
import type { TaskFile } from '../../tasks/rows.ts';
import type { Task } from '../../tasks/task.ts';
import type { RunRecord } from '../../traces/trace.ts';
import type { WindowPlacements } from '../placement/window-placements.ts';
import { UNTRUSTED } from '../runs/before-run.ts';
import type { Runs } from '../runs/runs.ts';
import { settings } from '../settings.ts';
import type { TaskFiles } from '../tasks/task-files.ts';
import { ChildSession } from './child-debugger.ts';
import { folderPath } from './configurations.ts';
import { Pauses } from './pauses.ts';
import { PythonDebugger } from './python-debugger.ts';
import { scriptDebugger } from './script-debugger.ts';

/** The features that debugging uses. */
export interface DebugParts {
  readonly files: TaskFiles;
  readonly runs: Runs;
  readonly placements: WindowPlacements;
}

/**
 * Starts the debug adapter of a session, with the debuggers of functions. Runs are shown in the run panel, and unsaved changes
 * of task files count.
 */
export function startSession({ files, runs, placements: ofWindow }: DebugParts, session: vscode.DebugSession) {
  const pauses = new Pauses(session);
  const scripts = new ChildSession(session, scriptDebugger(import.meta.dirname));
  const python = new PythonDebugger(session);
  const placements = ofWindow.use();
  const cwd = folderPath(session.workspaceFolder);
  const adapter = new TaskDebugSession({
    cwd,
    find: (address) => find(files, runs, address, cwd),
    read: (path) => read(files, path),
    defaultSeed: ({ file }) => settings.seeds(vscode.Uri.file(file)).first,
    judging: () => placements.get('local'),
    debuggers: { scripts, python },
    run: (request) => run(runs, request, pauses),
  });
  void adapter.finished.finally(() => {
    for (const disposable of [pauses, scripts, python, placements]) disposable.dispose();
  });
  return { adapter, python };
}

async function read(files: TaskFiles, path: string): Promise<TaskFile> {
  return (await files.read(vscode.Uri.file(path)))?.file ?? (await loadTaskFile(path));
}

async function find(files: TaskFiles, runs: Runs, text: string, cwd: string): Promise<Task> {
  if (!vscode.workspace.isTrusted) throw new DebugError(UNTRUSTED);
  const { file, selector } = await parseAddress(text, cwd);
  if (selector === null) throw new DebugError(l10n.t('{0} does not name a task. Use FILE#ID or FILE#INDEX.', text));
  const row = selectRow(await read(files, file), selector);
  // Otherwise it may be one of an environment's own tasks.
  const task = await runs.preparation.savedTask({ file, index: row?.index ?? 0, name: row?.name ?? selector });
  if ('message' in task) throw new DebugError(task.message);
  return task;
}

async function run(runs: Runs, request: DebugRunRequest, pauses: Pauses): Promise<RunRecord> {
  const { task, agent, placement, seed, listen, signal } = request;
  const live = await runs.debug(task, { agent, placement, seed, debugger: request.debugger });
  if (live === undefined) throw new DebugError(l10n.t('This task is already running. Stop that run first.'));
  pauses.follow(live);
  live.onEvent(listen);
  signal.addEventListener('abort', () => live.cancel(), { once: true });
  if (signal.aborted) live.cancel();
  await runs.waitForEnd(live);
  if (live.record === null) throw new DebugError(l10n.t('The run ended without a result.'));
  return live.record;
}
