import type { PlacementKind } from '../tasks/placement-kind.ts';
import type { Placement } from './placement.ts';

/** One placement of each kind, made when it is first needed. */
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
      // One that could not be made is tried again.
      made.catch(() => this.#made.delete(kind));
    }
    return made;
  }

  /** Those that were made. */
  async all(): Promise<readonly Placement[]> {
    const settled = await Promise.allSettled(this.#made.values());
    return settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  }

  /** Ends one kind, or all of them; whoever asks for it afterwards gets a new one. */
  async dispose(kind?: PlacementKind): Promise<void> {
    const kinds = kind === undefined ? [...this.#made.keys()] : [kind];
    await Promise.all(
      kinds.map(async (one) => {
        const made = this.#made.get(one);
        this.#made.delete(one);
        // What was never made needs no end; whoever asked for it was told why.
        const placement = await made?.catch(() => null);
        await placement?.dispose();
      }),
    );
  }
}
