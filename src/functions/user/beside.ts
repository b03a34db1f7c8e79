import { statSync } from 'node:fs';
import { resolve } from 'node:path';

/** The type of the file at a path, which is relative to the task folder. */
export type Beside = (path: string) => 'file' | 'folder' | null;

/** Looks up paths relative to a task folder, each only once. A path that cannot be accessed counts as missing. */
export function lookBeside(folder: string): { readonly at: Beside; readonly kinds: ReadonlyMap<string, unknown> } {
  /** By absolute paths. */
  const kinds = new Map<string, ReturnType<Beside>>();
  const byName = new Map<string, ReturnType<Beside>>();
  const at: Beside = (path) => {
    const cached = byName.get(path);
    if (cached !== undefined) return cached;
    // A network share is not accessed while the user types; the run checks it.
    if (/^[\\/]{2}/.test(path)) return 'folder';
    const place = resolve(folder, path);
    const kind = kinds.get(place) ?? kindAt(place);
    kinds.set(place, kind);
    byName.set(path, kind);
    return kind;
  };
  return { at, kinds };
}

function kindAt(place: string): ReturnType<Beside> {
  try {
    const facts = statSync(place, { throwIfNoEntry: false });
    if (facts === undefined) return null;
    return facts.isDirectory() ? 'folder' : 'file';
  } catch {
    // The finding says that the file is missing, and the run says why.
    return null;
  }
}
