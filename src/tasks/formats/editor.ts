import type { Json } from '../../base/json.ts';
import type { Path } from '../../base/path.ts';
import { withPath } from '../apply-change.ts';
import { type Change, pathOf } from '../change.ts';

/** `partly`: one step is done, and the same change must be applied again to the current text. */
export type Outcome = 'done' | 'partly' | 'impossible';

/** Limit for removing members with the same name one by one. No task has more. */
const MAX_ROUNDS = 20;

/** Applies changes to the text of a tree of nodes, whatever its format. */
export abstract class TreeEditor<Node> {
  protected abstract readonly root: Node;

  /** The value of the last member with a key, or an item; undefined if it is missing. */
  protected abstract child(node: Node, step: string | number): Node | undefined;
  protected abstract replace(node: Node, value: Json): Outcome;
  /** Appends a missing member or item. */
  protected abstract append(parent: Node, step: string | number, value: Json): Outcome;
  protected abstract rename(parent: Node, name: string, key: string): Outcome;
  protected abstract remove(parent: Node, step: string | number): Outcome;

  make(change: Change): Outcome {
    if ('set' in change) return this.#set(change.set, change.value);
    const path = pathOf(change);
    const step = path.at(-1);
    const parent = this.find(path.slice(0, -1));
    if (step === undefined || parent === undefined) return 'impossible';
    return 'rename' in change ? this.rename(parent, String(step), change.key) : this.remove(parent, step);
  }

  protected find(path: Path): Node | undefined {
    let node: Node | undefined = this.root;
    for (const step of path) {
      if (node === undefined) return undefined;
      node = this.child(node, step);
    }
    return node;
  }

  #set(path: Path, value: Json): Outcome {
    let node = this.root;
    for (const [depth, step] of path.entries()) {
      const child = this.child(node, step);
      if (child === undefined) return this.append(node, step, withPath(path.slice(depth + 1), value));
      node = child;
    }
    return this.replace(node, value);
  }
}

/**
 * Applies changes in order, and returns whether all of them were possible.
 * @param newEditor parses the current text; null if it is broken
 */
export function applyChanges(
  changes: readonly Change[],
  newEditor: () => { make(change: Change): Outcome } | null,
): boolean {
  return changes.every((change) => {
    for (let round = 0; round <= MAX_ROUNDS; round += 1) {
      const outcome = newEditor()?.make(change) ?? 'impossible';
      if (outcome !== 'partly') return outcome === 'done';
    }
    return false;
  });
}
