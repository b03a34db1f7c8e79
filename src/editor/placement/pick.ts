import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { choosePlacement } from '../../placement/choose.ts';
import type { DockerState } from '../../placement/docker/docker.ts';
import { PLACEMENT_TRAITS } from '../../placement/traits.ts';
import { PLACEMENT_KINDS, type PlacementKind } from '../../tasks/placement-kind.ts';
import { COMMAND } from '../names.ts';
import { settings } from '../settings.ts';
import type { PlacementChoice, PlacementTask } from './choice.ts';
import { PLACEMENT_VIEWS } from './views.ts';

interface Item extends vscode.QuickPickItem {
  /** Null: as the settings or the task specify. */
  readonly placement: PlacementKind | null;
}

/** Asks where a task runs, and stores the choice. False if the user cancels. */
export async function pickForTask(
  task: PlacementTask,
  choice: PlacementChoice,
  findDocker: () => Promise<DockerState>,
): Promise<boolean> {
  const chosen = choice.chosen(task);
  const setting = settings.placement(vscode.Uri.file(task.file));
  const fallback = choosePlacement(task, { requested: null, setting });
  const items: Item[] = PLACEMENT_KINDS.map((kind) => item(kind, chosen));
  if (chosen !== null) {
    items.push({
      placement: null,
      label: `$(discard) ${l10n.t('Reset to Default')}`,
      description:
        setting === null
          ? l10n.t('{0}, from the task', PLACEMENT_VIEWS[fallback].label)
          : l10n.t('{0}, from the settings', PLACEMENT_VIEWS[fallback].label),
    });
  }
  const picked = await ask(
    l10n.t('Run {0} In', task.name),
    l10n.t('Select where to run this task. The choice is stored for the task.'),
    items,
    findDocker,
  );
  if (picked === undefined) return false;
  await choice.choose(task, picked.placement);
  return true;
}

/** Asks where tasks without a choice of their own run, and updates the workspace settings. */
export async function pickForWorkspace(findDocker: () => Promise<DockerState>): Promise<void> {
  const current = settings.placement();
  const items: Item[] = [
    ...PLACEMENT_KINDS.map((kind) => item(kind, current)),
    {
      placement: null,
      label: `$(list-unordered) ${l10n.t('From Task')}`,
      description: current === null ? l10n.t('selected') : '',
      detail: l10n.t('The task’s metadata.placement, otherwise this machine'),
    },
  ];
  const picked = await ask(
    l10n.t('Placement of Tasks'),
    l10n.t('Select where the tasks of this workspace run'),
    items,
    findDocker,
  );
  if (picked === undefined) return;
  const open = vscode.workspace.workspaceFolders !== undefined;
  const target = open ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  await settings.setPlacement(picked.placement, target);
}

function item(kind: PlacementKind, chosen: PlacementKind | null): Item {
  const { label, icon, detail } = PLACEMENT_VIEWS[kind];
  return {
    placement: kind,
    label: `$(${icon}) ${label}`,
    description: chosen === kind ? l10n.t('selected') : '',
    detail,
  };
}

/** Shows the items while it searches for Docker. */
async function ask(
  title: string,
  placeholder: string,
  items: readonly Item[],
  findDocker: () => Promise<DockerState>,
): Promise<Item | undefined> {
  const pick = vscode.window.createQuickPick<Item>();
  const doctor: vscode.QuickInputButton = {
    iconPath: new vscode.ThemeIcon('pulse'),
    tooltip: l10n.t('Taskwright: Doctor'),
  };
  pick.title = title;
  pick.placeholder = placeholder;
  pick.items = items;
  pick.buttons = [doctor];
  // A run that starts or ends meanwhile may take the focus.
  pick.ignoreFocusOut = true;
  pick.busy = true;
  const docker = findDocker().then(dockerText, (error: unknown) => String(error));
  void docker.then((text) => {
    pick.busy = false;
    const active = pick.activeItems[0]?.placement;
    pick.items = items.map((one) =>
      one.placement !== null && PLACEMENT_TRAITS[one.placement].usesDocker
        ? { ...one, description: [one.description, text].filter((part) => part !== '').join(' · ') }
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

function dockerText(state: DockerState): string {
  if (!state.found) return l10n.t('not found');
  const built = state.images.some((image) => image.built);
  return built ? state.version : l10n.t('{0}, builds the image on first use', state.version);
}
