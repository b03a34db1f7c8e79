import { dirname } from 'node:path';
import { kindOfType } from '../environments/kinds.ts';
import { type PlacementKind, TASK_PLACEMENTS } from '../tasks/placement-kind.ts';
import type { Task } from '../tasks/task.ts';

/**
 * Where a task runs. The first of these decides: an option or picker, the settings, `metadata.placement` of the task.
 * Otherwise this machine, or Docker for an environment that is an image.
 */
export function choosePlacement(
  task: Pick<Task, 'metadata'> & Partial<Pick<Task, 'env' | 'file'>>,
  preferences: { readonly requested: PlacementKind | null; readonly setting: PlacementKind | null },
): PlacementKind {
  return (
    preferences.requested ?? preferences.setting ?? requestedPlacement(task) ?? (needsDocker(task) ? 'docker' : 'local')
  );
}

/** The value of `metadata.placement`; null if it is absent or unknown. */
function requestedPlacement({ metadata }: Pick<Task, 'metadata'>): PlacementKind | null {
  return TASK_PLACEMENTS.find((kind) => kind === metadata['placement']) ?? null;
}

/** Whether the environment of a task runs in Docker only. */
function needsDocker({ env, file }: Partial<Pick<Task, 'env' | 'file'>>): boolean {
  return env !== undefined && kindOfType(env)?.needsDocker?.(env, dirname(file ?? '')) === true;
}
