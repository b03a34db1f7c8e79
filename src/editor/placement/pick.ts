import * as vscode from 'vscode';
import { choosePlacement } from '../../placement/choose.ts';
import type { DockerState } from '../../placement/docker/docker.ts';
import type { PlacementKind } from '../../tasks/placement-kind.ts';
import { COMMAND } from '../names.ts';
import { settings } from '../settings.ts';
import type { Placed, PlacementChoice } from './choice.ts';
import { placementLabel } from './format.ts';

interface Item extends vscode.QuickPickItem {
  /** Null: whatever settings and task say. */
  readonly placement: PlacementKind | null;
}

const ICONS: Readonly<Record<PlacementKind, string>> = { local: '$(vm)', docker: '$(package)' };
const DETAILS: Readonly<Record<PlacementKind, string>> = {
  local: 'A browser and a process of this machine: starts at once, sees what you see',
  docker: 'A container for each run, with limits: of this machine it sees the tasks only',
};

/** Asks where one task is to run, and remembers it. False where the person left. */
export async function pickForTask(
  task: Placed,
  choice: PlacementChoice,
  findDocker: () => Promise<DockerState>,
): Promise<boolean> {
  const chosen = choice.chosen(task);
  const setting = settings.placement(vscode.Uri.file(task.file));
  const otherwise = choosePlacement(task, { asked: null, setting });
  const items: Item[] = [item('local', chosen), item('docker', chosen)];
  if (chosen !== null) {
    const why = setting === null ? 'the task' : 'the settings';
    items.push({
      placement: null,
      label: '$(discard) No Choice of Its Own',
      description: `as ${why} and nothing else: ${placementLabel(otherwise)}`,
    });
  }
  const picked = await ask(`Run ${task.name} in…`, 'Where should this task run? It is remembered.', items, findDocker);
  if (picked === undefined) return false;
  await choice.choose(task, picked.placement);
  return true;
}

/** Asks where tasks run that have no choice of their own, and writes it to the settings of the workspace. */
export async function pickForWorkspace(findDocker: () => Promise<DockerState>): Promise<void> {
  const now = settings.placement();
  const items: Item[] = [
    item('local', now),
    item('docker', now),
    {
      placement: null,
      label: '$(list-unordered) As Each Task Says',
      description: now === null ? 'chosen' : '',
      detail: 'Its metadata.placement, else this machine',
    },
  ];
  const picked = await ask('Where Tasks Run', 'Where should the tasks of this workspace run?', items, findDocker);
  if (picked === undefined) return;
  const open = vscode.workspace.workspaceFolders !== undefined;
  const target = open ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  await settings.setPlacement(picked.placement, target);
}

function item(kind: PlacementKind, chosen: PlacementKind | null): Item {
  return {
    placement: kind,
    label: `${ICONS[kind]} ${placementLabel(kind)}`,
    description: chosen === kind ? 'chosen' : '',
    detail: DETAILS[kind],
  };
}

/** Docker is looked for while the person reads. */
async function ask(
  title: string,
  placeholder: string,
  items: readonly Item[],
  findDocker: () => Promise<DockerState>,
): Promise<Item | undefined> {
  const pick = vscode.window.createQuickPick<Item>();
  const doctor: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('pulse'), tooltip: 'Taskwright: Doctor' };
  pick.title = title;
  pick.placeholder = placeholder;
  pick.items = items;
  pick.buttons = [doctor];
  // A run that begins or ends meanwhile may take the focus for a moment.
  pick.ignoreFocusOut = true;
  pick.busy = true;
  const said = findDocker().then(dockerWords, (error: unknown) => String(error));
  void said.then((words) => {
    pick.busy = false;
    const active = pick.activeItems[0]?.placement;
    pick.items = items.map((one) =>
      one.placement === 'docker'
        ? { ...one, description: [one.description, words].filter((part) => part !== '').join(' · ') }
        : one,
    );
    pick.activeItems = pick.items.filter((one) => one.placement === active);
  });
  try {
    return await new Promise<Item | undefined>((resolve) => {
      pick.onDidAccept(() => resolve(pick.selectedItems[0]));
      pick.onDidHide(() => resolve(undefined));
      pick.onDidTriggerButton(() => {
        resolve(undefined);
        void vscode.commands.executeCommand(COMMAND.doctor);
      });
      pick.show();
    });
  } finally {
    pick.dispose();
  }
}

function dockerWords(state: DockerState): string {
  if (!state.found) return 'not found';
  const built = state.images.some((image) => image.built);
  return built ? state.version : `${state.version}, the image is built at first use`;
}
