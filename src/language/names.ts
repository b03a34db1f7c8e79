import type { TaskRow } from '../tasks/rows.ts';
import type { Name } from './repeats.ts';

/** A name that an earlier row bears already. */
export interface Repeat {
  readonly name: Name;
  readonly first: TaskRow;
}

/** Which rows of a file bear which names, kept up as rows come and go. */
export class NameIndex {
  /** A single row stands for itself: most names are borne once. */
  readonly #bearers = new Map<string, TaskRow | Set<TaskRow>>();
  readonly #shared = new Set<string>();

  add(row: TaskRow, names: readonly Name[]): void {
    for (const name of names) {
      const key = keyOf(name);
      const before = this.#bearers.get(key);
      if (before === undefined) this.#bearers.set(key, row);
      else if (before instanceof Set) before.add(row);
      else if (before !== row) {
        this.#bearers.set(key, new Set([before, row]));
        this.#shared.add(key);
      }
    }
  }

  remove(row: TaskRow, names: readonly Name[]): void {
    for (const name of names) {
      const key = keyOf(name);
      const before = this.#bearers.get(key);
      if (before instanceof Set) {
        before.delete(row);
        const [last] = before;
        if (before.size > 1 || last === undefined) continue;
        this.#bearers.set(key, last);
        this.#shared.delete(key);
      } else if (before === row) this.#bearers.delete(key);
    }
  }

  /** Each row that bears a name which a row before it in the file bears, with those names and the first row of each. */
  repeats(namesOf: (row: TaskRow) => readonly Name[]): ReadonlyMap<TaskRow, readonly Repeat[]> {
    const repeats = new Map<TaskRow, Repeat[]>();
    for (const key of this.#shared) {
      const rows = this.#bearers.get(key) as ReadonlySet<TaskRow>;
      let first: TaskRow | undefined;
      for (const row of rows) if (first === undefined || row.index < first.index) first = row;
      for (const row of rows) {
        if (row === first || first === undefined) continue;
        const name = namesOf(row).find((candidate) => keyOf(candidate) === key);
        if (name === undefined) continue;
        const others = repeats.get(row);
        if (others === undefined) repeats.set(row, [{ name, first }]);
        else others.push({ name, first });
      }
    }
    return repeats;
  }
}

function keyOf({ kind, name }: Name): string {
  return `${kind} ${name}`;
}
