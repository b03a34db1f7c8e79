import { basename, dirname, sep } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { plainLabel, withoutIcons } from '../../presentation/plain-text.ts';
import { taskCount } from '../../presentation/tasks/model.ts';
import { COMMAND } from '../names.ts';
import { offer, showInformation } from '../notifications.ts';
import { pythonCode } from '../serving/python-code.ts';
import type { ServedTasks } from '../serving/serving.ts';
import type { TaskFiles } from '../tasks/task-files.ts';
import { type Command, type Commands, pathIn } from './arguments.ts';
import { choose } from './choose.ts';
import type { Features } from './features.ts';

/** Commands for serving tasks. The Environments view passes its node; without one, all but `serveTasks` do nothing. */
export function servingCommands(features: Features) {
  const { serving, environments } = features;
  const of =
    (act: (service: ServedTasks) => unknown): Command =>
    (argument) => {
      const service = serving.served.find((one) => one === argument);
      return service === undefined ? undefined : act(service);
    };
  const copy = (text: (service: ServedTasks) => string): Command =>
    of((served) => vscode.env.clipboard.writeText(text(served)));
  return {
    [COMMAND.serveTasks]: (argument, selected) => serveTasks(features, argument, selected),
    [COMMAND.copyServerAddress]: copy(({ server }) => server.url),
    [COMMAND.copyServerToken]: copy(({ server }) => server.token),
    [COMMAND.copyServerAgentToken]: copy(({ server }) => server.agentToken),
    [COMMAND.copyServerCode]: copy(({ server }) => pythonCode(server)),
    [COMMAND.showServerLog]: of(({ server }) => environments.showLog(server)),
    [COMMAND.stopServing]: of(({ server }) => server.stop()),
  } satisfies Commands;
}

/** Serves the files and folders that the Explorer passes, otherwise those that the user selects. */
async function serveTasks({ files, serving }: Features, argument: unknown, selection: unknown) {
  const uris = (Array.isArray(selection) ? selection : [argument]).filter((one) => one instanceof vscode.Uri);
  const paths = uris.length > 0 ? uris.map(({ fsPath }) => fsPath) : await askForTasks(files, argument);
  const service = await serving.start(paths);
  if (service === undefined) return;
  const message = l10n.t('Serving {0} at {1}.', plainLabel(service.name), service.server.url);
  void offer(showInformation, message, l10n.t('Copy Python Code'), () =>
    vscode.env.clipboard.writeText(pythonCode(service.server)),
  );
}

/** Asks for a folder or a task file. The one of the focused node of the Tasks view comes first. */
async function askForTasks(files: TaskFiles, focusedNode: unknown): Promise<readonly string[]> {
  await files.ready();
  const listedFiles = files.all.filter(({ folder }) => folder !== undefined);
  const first = pathIn(focusedNode);
  const roots = listedFiles.flatMap(({ folder }) => (folder === undefined ? [] : [folder.uri.fsPath]));
  const isFile = listedFiles.some(({ uri }) => uri.fsPath === first);
  const folders = new Set([...(first === undefined || isFile ? [] : [first]), ...roots]);
  const choices = [
    ...Array.from(folders, (path) => {
      const inside = listedFiles.filter(({ uri }) => uri.fsPath.startsWith(path + sep));
      const tasks = inside.reduce((sum, { file }) => sum + file.rows.length, 0);
      return { label: `$(folder) ${withoutIcons(basename(path))}`, description: taskCount(tasks), value: path };
    }),
    ...listedFiles.map(({ uri, file }) => ({
      label: `$(file) ${withoutIcons(basename(uri.fsPath))}`,
      description: `${vscode.workspace.asRelativePath(dirname(uri.fsPath))} · ${taskCount(file.rows.length)}`,
      value: uri.fsPath,
    })),
  ];
  choices.sort((a, b) => Number(b.value === first) - Number(a.value === first));
  const none = l10n.t('No tasks found in this workspace.');
  const choice = await choose(choices, l10n.t('Select the tasks to serve'), none);
  return choice === undefined ? [] : [choice];
}
