import { Debouncer, Disposable } from '../lifecycle.ts';

/** Time after a change in which further changes share one refresh, in ms. */
const CHANGES_MS = 50;
/** Time without a request of VS Code after which it has all the children that it wants, in ms. */
const QUIET_MS = 250;

/** The tree that is refreshed. */
export interface RefreshedTree {
  readonly visible: boolean;
  /** Makes VS Code request the tree again from its root. */
  refresh(): void;
  /** Updates what is shown while the view is hidden, such as its badge. */
  refreshHidden(): Promise<unknown>;
}

/**
 * Refreshes a tree after changes. A refresh makes VS Code forget the nodes whose children it is still requesting, for
 * example because the view was just shown, and it collapses them. Therefore, a refresh waits for these requests, and is
 * omitted if they began after the last change.
 */
export class TreeRefresh extends Disposable {
  readonly #tree: RefreshedTree;
  readonly #soon = this.register(new Debouncer(CHANGES_MS, () => this.#refresh()));
  /** Whether something changed since VS Code last requested the root. */
  #outdated = false;
  /** When VS Code last requested children, in ms of the monotonic clock. */
  #requestedAt = Number.NEGATIVE_INFINITY;

  constructor(tree: RefreshedTree) {
    super();
    this.#tree = tree;
  }

  /** What the tree shows has changed. */
  noteChange(): void {
    this.#outdated = true;
    this.#soon.schedule();
  }

  /** The view was shown or hidden. */
  noteVisibility(): void {
    if (this.#tree.visible) this.#soon.schedule();
  }

  /** VS Code requests the children of a node, or the roots. */
  noteRequest(node: unknown): void {
    this.#requestedAt = performance.now();
    if (node === undefined) this.#outdated = false;
  }

  async #refresh(): Promise<void> {
    if (!this.#outdated) return;
    if (!this.#tree.visible) await this.#tree.refreshHidden();
    else if (performance.now() - this.#requestedAt < QUIET_MS) this.#soon.schedule();
    else this.#tree.refresh();
  }
}
