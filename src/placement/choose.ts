import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { readCustom } from '../environments/custom/spec.ts';
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

/** Whether a task's environment is an image and no folder beside its file. */
function needsDocker({ env, file }: Partial<Pick<Task, 'env' | 'file'>>): boolean {
  if (env === undefined || kindOfType(env) !== 'custom') return false;
  const { context, image, location } = readCustom(env);
  if (location === 'remote') return true;
  return context === null && image !== null && !existsSync(resolve(dirname(file ?? ''), image));
}
