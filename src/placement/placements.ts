import type { PlacementKind } from '../tasks/placement-kind.ts';
import type { Placement } from './placement.ts';

/** One placement of each kind, created when it is first needed. */
export class Placements {
  readonly #make: (kind: PlacementKind) => Promise<Placement>;
  readonly #made = new Map<PlacementKind, Promise<Placement>>();

  constructor(make: (kind: PlacementKind) => Promise<Placement>) {
    this.#make = make;
  }

  get(kind: PlacementKind): Promise<Placement> {
    let made = this.#made.get(kind);
    if (made === undefined) {
      made = this.#make(kind);
      this.#made.set(kind, made);
      // Retried after a failure.
      made.catch(() => this.#made.delete(kind));
    }
    return made;
  }

  /** The placements that exist. */
  async all(): Promise<readonly Placement[]> {
    const settled = await Promise.allSettled(this.#made.values());
    return settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  }

  /** Disposes one kind, or all. A later request creates a new one. */
  async dispose(kind?: PlacementKind): Promise<void> {
    const kinds = kind === undefined ? [...this.#made.keys()] : [kind];
    await Promise.all(
      kinds.map(async (one) => {
        const made = this.#made.get(one);
        this.#made.delete(one);
        // The failure was reported to whoever requested the placement.
        const placement = await made?.catch(() => null);
        await placement?.dispose();
      }),
    );
  }
}
