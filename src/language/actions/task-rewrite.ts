import { isObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Change } from '../../tasks/change.ts';

/** Collects the changes that rewrite a task. Values without an equivalent move to `metadata`, with a note. */
export class TaskRewrite {
  readonly changes: Change[] = [];
  readonly notes: string[] = [];
  readonly #row: JsonObject;
  readonly #metadata: Record<string, Json>;

  constructor(row: JsonObject) {
    this.#row = row;
    const { metadata } = row;
    this.#metadata = isObject(metadata) ? { ...metadata } : {};
  }

  set(key: string, value: Json): void {
    this.changes.push({ set: [key], value });
  }

  /** Removes a key if it exists. */
  remove(key: string): void {
    if (Object.hasOwn(this.#row, key)) this.changes.push({ remove: [key] });
  }

  rename(key: string, to: string): void {
    this.changes.push({ rename: [key], key: to });
  }

  /** Moves a key to `metadata`, where nothing reads it; removes it if it is empty. */
  aside(key: string, why: string): void {
    const value = this.#row[key];
    this.remove(key);
    if (value === undefined || value === null || (isObject(value) && Object.keys(value).length === 0)) return;
    this.keep(key, value, why);
  }

  /** Stores a value under `metadata`. */
  keep(key: string, value: Json, why: string): void {
    const { metadata } = this.#row;
    if (metadata !== undefined && !isObject(metadata) && Object.keys(this.#metadata).length === 0) {
      if (metadata !== null) this.#metadata['metadata'] = metadata;
      this.changes.push({ set: ['metadata'], value: { ...this.#metadata } });
    }
    let free = key;
    for (let number = 2; Object.hasOwn(this.#metadata, free); number += 1) free = `${key}-${number}`;
    this.#metadata[free] = value;
    this.changes.push({ set: ['metadata', free], value });
    this.notes.push(`“${key}” is moved to metadata.${free}: ${why}`);
  }
}
