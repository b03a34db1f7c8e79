import type { PlacementKind } from '../tasks/placement-kind.ts';

/** What callers need to know about a kind of placement, instead of its name. */
export interface PlacementDescriptor {
  /** Whether agents are separated from this machine. */
  readonly isolated: boolean;
  /** Whether it needs a Docker daemon. */
  readonly usesDocker: boolean;
  /** Whether environments run in lanes, on nodes. */
  readonly hasLanes: boolean;
}

export const PLACEMENT_DESCRIPTORS: Readonly<Record<PlacementKind, PlacementDescriptor>> = {
  local: { isolated: false, usesDocker: false, hasLanes: false },
  docker: { isolated: true, usesDocker: true, hasLanes: false },
  swarm: { isolated: true, usesDocker: true, hasLanes: true },
  kubernetes: { isolated: true, usesDocker: true, hasLanes: true },
};
