import type * as vscode from 'vscode';

/** Maximum number of environments with a stored value. */
const MAX_ENTRIES = 50;

/** What environments reported, stored for the workspace, so that editing needs no environment. */
export class WorkspaceMemory<T> {
  readonly #memento: vscode.Memento;
  readonly #name: string;
  readonly #entries: Map<string, T>;

  /** @param name under which it is stored */
  constructor(memento: vscode.Memento, name: string) {
    this.#memento = memento;
    this.#name = name;
    this.#entries = new Map(memento.get<readonly (readonly [string, T])[]>(name, []));
  }

  get(key: string): T | undefined {
    return this.#entries.get(key);
  }

  /** Stores a value, in place of the oldest if there are many. Returns whether it is new. */
  set(key: string, value: T): boolean {
    if (JSON.stringify(this.#entries.get(key)) === JSON.stringify(value)) return false;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= MAX_ENTRIES) break;
      this.#entries.delete(oldest);
    }
    void this.#memento.update(this.#name, [...this.#entries]);
    return true;
  }
}
