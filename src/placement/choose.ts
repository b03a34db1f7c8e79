import { PLACEMENT_KINDS, type PlacementKind } from '../tasks/placement-kind.ts';
import type { Task } from '../tasks/task.ts';

/**
 * Where a task runs: as it was asked for by an option or a picker, else as the settings say, else as the task itself
 * wishes with `metadata.placement`, else on this machine.
 */
export function choosePlacement(
  task: Pick<Task, 'metadata'>,
  said: { readonly asked: PlacementKind | null; readonly setting: PlacementKind | null },
): PlacementKind {
  return said.asked ?? said.setting ?? wishOf(task) ?? 'local';
}

/** What a task says in `metadata.placement`; null where it says nothing, or nothing that there is. */
function wishOf({ metadata }: Pick<Task, 'metadata'>): PlacementKind | null {
  return PLACEMENT_KINDS.find((kind) => kind === metadata['placement']) ?? null;
}
