import { getOrCreate } from '../../base/get-or-create.ts';
import { runToEnd, type Work } from '../../base/slices.ts';
import type { TaskRow } from '../../tasks/rows.ts';
import { hasNamesById, type Name, namesOf, uniqueSlug } from './duplicates.ts';

const ROWS_BETWEEN_PAUSES = 64;

/** A name that an earlier row already has. */
export interface Duplicate {
  readonly name: Name;
  readonly first: TaskRow;
}

/** The names of the rows of a file, updated as rows come and go. */
export class NameIndex {
  readonly #kinds: Record<Name['kind'], RowsByName> = { id: new RowsByName(), slug: new RowsByName() };
  /**
   * Added rows whose names are not in `#kinds` yet. A map that grows while rows are read takes three times as long,
   * because each garbage collection goes through it.
   */
  readonly #newRows: TaskRow[] = [];
  /** What is known of the names of these rows. */
  #ascents: Record<Name['kind'], Ascent> = { id: new Ascent(), slug: new Ascent() };
  /** Whether `#kinds` has been filled. That takes five times as long as asking whether any two names are the same. */
  #isIndexed = false;

  add(row: TaskRow): void {
    this.#newRows.push(row);
    const { id, era } = row;
    const slug = uniqueSlug(row);
    if (id !== null && hasNamesById(era)) this.#ascents.id.add(id);
    if (slug !== null) this.#ascents.slug.add(slug);
  }

  remove(row: TaskRow): void {
    const kinds = this.#current();
    for (const { kind, name } of namesOf(row)) kinds[kind].remove(name, row);
  }

  /** Whether any row has the name. */
  has(kind: Name['kind'], name: string): boolean {
    return this.#current()[kind].has(name);
  }

  #current(): Record<Name['kind'], RowsByName> {
    runToEnd(this.index());
    return this.#kinds;
  }

  /** Fills the index, which the first change otherwise waits for. */
  *index(): Work<void> {
    this.#isIndexed = true;
    this.#ascents = { id: new Ascent(), slug: new Ascent() };
    for (let row = this.#newRows.pop(); row !== undefined; row = this.#newRows.pop()) {
      for (const { kind, name } of namesOf(row)) this.#kinds[kind].add(name, row);
      if (this.#newRows.length % ROWS_BETWEEN_PAUSES === 0) yield;
    }
  }

  /** Whether no two of the added rows have the same name. */
  #areDistinct(): boolean {
    if (this.#ascents.id.holds && this.#ascents.slug.holds) return true;
    const names = { id: [] as string[], slug: [] as string[] };
    for (const row of this.#newRows) {
      const { id, era } = row;
      const slug = uniqueSlug(row);
      if (id !== null && hasNamesById(era)) names.id.push(id);
      if (slug !== null) names.slug.push(slug);
    }
    return Object.values(names).every((texts) => new Set(texts).size === texts.length);
  }

  /** Returns each row whose name occurs in an earlier row, with the names and the first row of each. */
  duplicates(): ReadonlyMap<TaskRow, readonly Duplicate[]> {
    const duplicates = new Map<TaskRow, Duplicate[]>();
    if (!this.#isIndexed && this.#areDistinct()) return duplicates;
    for (const [kind, rowsByName] of Object.entries(this.#current())) {
      for (const [text, rows] of rowsByName.rowsBySharedName) {
        let first: TaskRow | undefined;
        for (const row of rows) if (first === undefined || row.index < first.index) first = row;
        for (const row of rows) {
          if (row === first || first === undefined) continue;
          const name = namesOf(row).find((candidate) => candidate.kind === kind && candidate.name === text);
          if (name === undefined) continue;
          getOrCreate(duplicates, row, () => []).push({ name, first });
        }
      }
    }
    return duplicates;
  }
}

/**
 * Whether each text is longer than the one before it, or comes after it in the alphabet, as numbered names do. Then no two
 * are the same, which a set finds out in ten times as long.
 */
class Ascent {
  holds = true;
  #last = '';

  add(text: string): void {
    const { length } = this.#last;
    this.holds &&= length < text.length || (length === text.length && this.#last < text);
    this.#last = text;
  }
}

/** The rows by name, for one kind of name. */
class RowsByName {
  /** Names that only one row has, which is the usual case. */
  readonly #only = new Map<string, TaskRow>();
  readonly rowsBySharedName = new Map<string, Set<TaskRow>>();

  has(name: string): boolean {
    return this.#only.has(name) || this.rowsBySharedName.has(name);
  }

  add(name: string, row: TaskRow): void {
    const several = this.rowsBySharedName.get(name);
    if (several !== undefined) {
      several.add(row);
      return;
    }
    const before = this.#only.get(name);
    if (before === undefined) this.#only.set(name, row);
    else if (before !== row) {
      this.#only.delete(name);
      this.rowsBySharedName.set(name, new Set([before, row]));
    }
  }

  remove(name: string, row: TaskRow): void {
    const several = this.rowsBySharedName.get(name);
    if (several === undefined) {
      if (this.#only.get(name) === row) this.#only.delete(name);
      return;
    }
    several.delete(row);
    const [last, ...more] = several;
    if (more.length > 0) return;
    this.rowsBySharedName.delete(name);
    if (last !== undefined) this.#only.set(name, last);
  }
}
