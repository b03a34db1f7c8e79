import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { choosePlacement } from '../../placement/choose.ts';
import { PLACEMENT_VIEWS } from '../../presentation/placement/views.ts';
import { joinTexts } from '../../presentation/plain-text.ts';
import { PLACEMENT_KINDS, type PlacementKind } from '../../tasks/placement-kind.ts';
import { COMMAND } from '../names.ts';
import { settings } from '../settings.ts';
import { describeAvailability, dockerAvailability, type PlaceAvailability } from './availability.ts';
import type { PlacementChoice, PlacementTask } from './choice.ts';
import { configuredHosts } from './docker-settings.ts';
import type { WindowPlacements } from './window-placements.ts';

/** The part of the placements that the pickers use. */
type Finder = Pick<WindowPlacements, 'find' | 'findDocker' | 'dockerContexts'>;

interface Item extends vscode.QuickPickItem {
  /** Null: as the settings or the task specify. */
  readonly placement: PlacementKind | null;
  /** Docker hosts to distribute runs over; absent: those of the settings. */
  readonly hosts?: readonly string[];
  /** Asks for more hosts. */
  readonly several?: true;
  /** Determines in the background whether it can be used, and its free capacity. Never rejects. */
  readonly find?: (signal: AbortSignal) => Promise<PlaceAvailability>;
}

/** Asks where a task runs, and stores the choice. False if the user cancels. */
export async function pickForTask(task: PlacementTask, choice: PlacementChoice, finder: Finder): Promise<boolean> {
  const current = choice.getChoice(task);
  const setting = settings.placement(vscode.Uri.file(task.file));
  const fallback = choosePlacement(task, { requested: null, setting });
  const items = kindItems(finder, current);
  if (current !== null) {
    items.push({
      placement: null,
      label: `$(discard) ${l10n.t('Reset to Default')}`,
      description:
        setting === null
          ? l10n.t('{0}, from the task', PLACEMENT_VIEWS[fallback].label)
          : l10n.t('{0}, from the settings', PLACEMENT_VIEWS[fallback].label),
    });
  }
  const title = l10n.t('Run {0} In', task.name);
  const placeholder = l10n.t('Select where to run this task. The choice is stored for the task.');
  const [selectedItem] = (await ask({ title, placeholder, items })).selection;
  if (selectedItem === undefined) return false;
  await choice.choose(task, selectedItem.placement);
  return true;
}

/** Asks where tasks without a choice of their own run, and updates the workspace settings. */
export async function pickForWorkspace(finder: Finder): Promise<void> {
  const current = settings.placement();
  const title = l10n.t('Placement of Tasks');
  const hosts = await hostItems(finder);
  const items: Item[] = [
    ...kindItems(finder, current),
    {
      placement: null,
      label: `$(list-unordered) ${l10n.t('From Task')}`,
      description: current === null ? l10n.t('selected') : '',
      detail: l10n.t('The task’s metadata.placement, otherwise this machine'),
    },
  ];
  if (hosts.length > 0) {
    items.push({ placement: null, label: l10n.t('Docker hosts'), kind: vscode.QuickPickItemKind.Separator }, ...hosts);
  }
  if (hosts.length > 1) {
    items.push({
      placement: 'docker',
      several: true,
      label: `$(checklist) ${l10n.t('Several Hosts…')}`,
      detail: l10n.t('Each run goes to the host with the most room'),
    });
  }
  const placeholder = l10n.t('Select where the tasks of this workspace run');
  const { selection, items: shownItems } = await ask({ title, placeholder, items });
  const [selectedItem] = selection;
  if (selectedItem === undefined) return;
  const open = vscode.workspace.workspaceFolders !== undefined;
  const target = open ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  const dockerHosts =
    selectedItem.several === true
      ? await pickHosts(shownItems.filter((item) => item.hosts !== undefined))
      : selectedItem.hosts;
  // Dismissed.
  if (dockerHosts === null) return;
  if (dockerHosts !== undefined) await settings.setDockerHosts(dockerHosts, target);
  await settings.setPlacement(selectedItem.placement, target);
}

/** Asks for several Docker hosts. Null if the user cancels. */
async function pickHosts(hosts: readonly Item[]): Promise<readonly string[] | null> {
  const current = configuredHosts(settings.docker);
  const { selection } = await ask({
    title: l10n.t('Docker Hosts'),
    placeholder: l10n.t('Select the hosts to distribute runs over'),
    items: hosts,
    several: (item) => item.hosts?.some((host) => current.includes(host)) === true,
  });
  return selection.length === 0 ? null : selection.flatMap(({ hosts: names = [] }) => names);
}

function kindItems(finder: Finder, current: PlacementKind | null): Item[] {
  return PLACEMENT_KINDS.map((kind) => {
    const { label, icon, detail } = PLACEMENT_VIEWS[kind];
    return {
      placement: kind,
      label: `$(${icon}) ${label}`,
      description: current === kind ? l10n.t('selected') : '',
      detail,
      find: (signal) => finder.find(kind, signal),
    };
  });
}

/** The configured Docker hosts and the contexts, if there are any besides the default one. */
async function hostItems(finder: Finder): Promise<readonly Item[]> {
  const configuredNames = configuredHosts(settings.docker);
  const contexts = await finder.dockerContexts();
  if (configuredNames.length === 0 && contexts.length === 0) return [];
  return [...new Set([...configuredNames, 'default', ...contexts])].map((host) => ({
    placement: 'docker',
    hosts: [host],
    label: `$(server) ${host}`,
    description: configuredNames.includes(host) ? l10n.t('in the settings') : '',
    find: async (signal) => dockerAvailability(await finder.findDocker({ host, signal })),
  }));
}

/**
 * Shows the items, each with its availability as soon as that is known. Resolves with the selected items, and with all items
 * as last shown.
 */
async function ask(options: {
  readonly title: string;
  readonly placeholder: string;
  readonly items: readonly Item[];
  /** The user can select any number of items; returns whether one is selected initially. */
  readonly several?: (item: Item) => boolean;
}): Promise<{ readonly selection: readonly Item[]; readonly items: readonly Item[] }> {
  const pick = vscode.window.createQuickPick<Item>();
  const closing = new AbortController();
  const doctor: vscode.QuickInputButton = {
    iconPath: new vscode.ThemeIcon('pulse'),
    tooltip: l10n.t('Taskwright: Doctor'),
  };
  pick.title = options.title;
  pick.placeholder = options.placeholder;
  pick.canSelectMany = options.several !== undefined;
  pick.matchOnDescription = true;
  pick.keepScrollPosition = true;
  pick.buttons = [doctor];
  // A run that starts or ends meanwhile may take the focus.
  pick.ignoreFocusOut = true;
  const items = [...options.items];
  const indexOf = (item: Item): number => items.indexOf(item);
  pick.items = items;
  if (options.several !== undefined) pick.selectedItems = items.filter(options.several);
  const searches = items.map(async (item, index) => {
    // A new list would undo a click on a checkbox at the same moment.
    if (item.find === undefined || pick.canSelectMany) return;
    const availability = await item.find(closing.signal).catch((error: unknown) => ({ problem: String(error) }));
    if (closing.signal.aborted) return;
    const active = pick.activeItems.map(indexOf);
    items[index] = withAvailability(item, availability);
    pick.items = [...items];
    pick.activeItems = items.filter((_, place) => active.includes(place));
  });
  pick.busy = true;
  void Promise.all(searches).then(() => {
    if (!closing.signal.aborted) pick.busy = false;
  });
  try {
    const selection = await new Promise<readonly Item[]>((resolve) => {
      pick.onDidAccept(() => resolve(pick.selectedItems));
      pick.onDidHide(() => resolve([]));
      pick.onDidTriggerButton(() => {
        resolve([]);
        void vscode.commands.executeCommand(COMMAND.doctor);
      });
      pick.show();
    });
    return { selection, items };
  } finally {
    closing.abort();
    pick.dispose();
  }
}

function withAvailability(item: Item, availability: PlaceAvailability): Item {
  const description = joinTexts([item.description ?? '', describeAvailability(availability)], ' · ');
  const detail = 'problem' in availability ? availability.problem : availability.note;
  return detail === undefined ? { ...item, description } : { ...item, description, detail };
}
