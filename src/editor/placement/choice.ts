import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { choosePlacement } from '../../placement/choose.ts';
import { type TaskReference, taskKey } from '../../presentation/tasks/reference.ts';
import { PLACEMENT_KINDS, type PlacementKind } from '../../tasks/placement-kind.ts';
import type { Task } from '../../tasks/task.ts';
import { Disposable } from '../lifecycle.ts';
import { onDidChangeSetting, settings } from '../settings.ts';

/** The properties of a task that determine its placement. */
export type PlacementTask = Pick<TaskReference, 'file' | 'name'> & Pick<Task, 'metadata'>;

/** The placements of tasks: the stored choice for a task, otherwise the setting, otherwise the task's metadata. */
export class PlacementChoice extends Disposable {
  readonly #memory: vscode.Memento;
  readonly #changeEmitter = this.register(new vscode.EventEmitter<void>());

  readonly onDidChange = this.#changeEmitter.event;

  constructor(memory: vscode.Memento) {
    super();
    this.#memory = memory;
    this.register(onDidChangeSetting('placement', () => this.#changeEmitter.fire()));
  }

  /** The placement of a task, the reason, and whether tasks without a placement of their own run there too. */
  of(task: PlacementTask): { readonly kind: PlacementKind; readonly reason: string; readonly isDefault: boolean } {
    const choice = this.getChoice(task);
    const setting = settings.placement(vscode.Uri.file(task.file));
    const kind = choosePlacement(task, { requested: choice, setting });
    const fromTask = task.metadata['placement'] === kind ? l10n.t('from the task') : l10n.t('default');
    const reason =
      choice !== null ? l10n.t('chosen for this task') : setting !== null ? l10n.t('from the settings') : fromTask;
    return { kind, reason, isDefault: kind === (setting ?? 'local') };
  }

  /** The stored choice for a task. */
  getChoice(task: Pick<TaskReference, 'file' | 'name'>): PlacementKind | null {
    const kindName: unknown = this.#memory.get(placementKey(task));
    return PLACEMENT_KINDS.find((kind) => kind === kindName) ?? null;
  }

  /** Stores a choice for a task; null removes it. */
  async choose(task: Pick<TaskReference, 'file' | 'name'>, kind: PlacementKind | null): Promise<void> {
    await this.#memory.update(placementKey(task), kind ?? undefined);
    this.#changeEmitter.fire();
  }
}

function placementKey(task: Pick<TaskReference, 'file' | 'name'>): string {
  return `placement:${taskKey(task)}`;
}
