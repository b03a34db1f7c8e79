import { getOrRetry } from '../base/get-or-create.ts';
import type { PlacementKind } from '../tasks/placement-kind.ts';
import type { Placement } from './placement.ts';

/** One placement of each kind, created when it is first needed. */
export class Placements {
  readonly #make: (kind: PlacementKind) => Promise<Placement>;
  readonly #placements = new Map<PlacementKind, Promise<Placement>>();

  constructor(make: (kind: PlacementKind) => Promise<Placement>) {
    this.#make = make;
  }

  get(kind: PlacementKind): Promise<Placement> {
    return getOrRetry(this.#placements, kind, () => this.#make(kind));
  }

  /** The placements that exist. */
  async all(): Promise<readonly Placement[]> {
    const results = await Promise.allSettled(this.#placements.values());
    return results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  }

  /** Disposes one kind, or all. A later request creates a new one. */
  async dispose(kind?: PlacementKind): Promise<void> {
    const kinds = kind === undefined ? [...this.#placements.keys()] : [kind];
    await Promise.all(
      kinds.map(async (one) => {
        const starting = this.#placements.get(one);
        this.#placements.delete(one);
        // The failure was reported to whoever requested the placement.
        const placement = await starting?.catch(() => null);
        await placement?.dispose();
      }),
    );
  }
}
