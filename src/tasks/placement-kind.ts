/** Where a task can ask to run. */
export const TASK_PLACEMENTS = ['local', 'docker'] as const;
/** Where an environment can run. Only the user knows whether there is a swarm or a cluster. */
export const PLACEMENT_KINDS = [...TASK_PLACEMENTS, 'swarm', 'kubernetes'] as const;
export type PlacementKind = (typeof PLACEMENT_KINDS)[number];
