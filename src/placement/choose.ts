import { dirname } from 'node:path';
import { kindOfType } from '../environments/kinds.ts';
import { PLACEMENT_KINDS, type PlacementKind } from '../tasks/placement-kind.ts';
import type { Task } from '../tasks/task.ts';

/**
 * Where a task runs: as it was asked for by an option or a picker, else as the settings say, else as the task itself
 * wishes with `metadata.placement`, else on this machine; an environment that is an image, in Docker.
 */
export function choosePlacement(
  task: Pick<Task, 'metadata'> & Partial<Pick<Task, 'env' | 'file'>>,
  said: { readonly asked: PlacementKind | null; readonly setting: PlacementKind | null },
): PlacementKind {
  return said.asked ?? said.setting ?? wishOf(task) ?? (needsDocker(task) ? 'docker' : 'local');
}

/** What a task says in `metadata.placement`; null where it says nothing, or nothing that there is. */
function wishOf({ metadata }: Pick<Task, 'metadata'>): PlacementKind | null {
  return PLACEMENT_KINDS.find((kind) => kind === metadata['placement']) ?? null;
}

/** Whether the environment of a task runs in Docker only. */
function needsDocker({ env, file }: Partial<Pick<Task, 'env' | 'file'>>): boolean {
  return env !== undefined && kindOfType(env)?.needsDocker?.(env, dirname(file ?? '')) === true;
}
