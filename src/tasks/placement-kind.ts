/** Where an environment can run. */
export const PLACEMENT_KINDS = ['local', 'docker'] as const;
export type PlacementKind = (typeof PLACEMENT_KINDS)[number];
