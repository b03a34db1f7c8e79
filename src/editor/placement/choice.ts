import * as vscode from 'vscode';
import { choosePlacement } from '../../placement/choose.ts';
import { PLACEMENT_KINDS, type PlacementKind } from '../../tasks/placement-kind.ts';
import type { Task } from '../../tasks/task.ts';
import { DisposableStore } from '../lifecycle.ts';
import { affects, settings } from '../settings.ts';
import { type TaskReference, taskKey } from '../tasks/reference.ts';

/** A task as far as it matters for where it runs. */
export type Placed = Pick<TaskReference, 'file' | 'name'> & Pick<Task, 'metadata'>;

/** Where tasks run: as the person chose for one of them, which is remembered, else as settings and the task say. */
export class PlacementChoice implements vscode.Disposable {
  readonly #disposables = new DisposableStore();
  readonly #memory: vscode.Memento;
  readonly #changed = this.#disposables.add(new vscode.EventEmitter<void>());

  readonly onDidChange = this.#changed.event;

  constructor(memory: vscode.Memento) {
    this.#memory = memory;
    this.#disposables.add(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (affects(event, 'placement')) this.#changed.fire();
      }),
    );
  }

  /** Where a task runs now, in words why there, and whether all tasks do that say nothing themselves. */
  of(task: Placed): { readonly kind: PlacementKind; readonly because: string; readonly usual: boolean } {
    const asked = this.chosen(task);
    const setting = settings.placement(vscode.Uri.file(task.file));
    const kind = choosePlacement(task, { asked, setting });
    const wished = task.metadata['placement'] === kind ? 'as the task wishes' : 'where nothing else is said';
    const because = asked !== null ? 'as chosen for this task' : setting !== null ? 'as the settings say' : wished;
    return { kind, because, usual: kind === (setting ?? 'local') };
  }

  /** What was chosen for a task by hand. */
  chosen(task: Pick<TaskReference, 'file' | 'name'>): PlacementKind | null {
    const known: unknown = this.#memory.get(placementKey(task));
    return PLACEMENT_KINDS.find((kind) => kind === known) ?? null;
  }

  /** Remembers a choice for a task; null forgets it. */
  async choose(task: Pick<TaskReference, 'file' | 'name'>, kind: PlacementKind | null): Promise<void> {
    await this.#memory.update(placementKey(task), kind ?? undefined);
    this.#changed.fire();
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}

function placementKey(task: Pick<TaskReference, 'file' | 'name'>): string {
  return `placement:${taskKey(task)}`;
}
