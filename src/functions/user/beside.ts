import { statSync } from 'node:fs';
import { resolve } from 'node:path';

/** What stands at a path, relative to the folder of the tasks. */
export type Beside = (path: string) => 'file' | 'folder' | null;

/** Looks beside the tasks of a folder, once at each path. What cannot be looked at is taken for nothing. */
export function lookBeside(folder: string): { readonly at: Beside; readonly asked: ReadonlyMap<string, unknown> } {
  /** By absolute paths. */
  const asked = new Map<string, ReturnType<Beside>>();
  const byName = new Map<string, ReturnType<Beside>>();
  const at: Beside = (path) => {
    const known = byName.get(path);
    if (known !== undefined) return known;
    // A network share is not accessed while the user types; the run checks it.
    if (/^[\\/]{2}/.test(path)) return 'folder';
    const place = resolve(folder, path);
    const found = asked.get(place) ?? kindAt(place);
    asked.set(place, found);
    byName.set(path, found);
    return found;
  };
  return { at, asked };
}

function kindAt(place: string): ReturnType<Beside> {
  try {
    const facts = statSync(place, { throwIfNoEntry: false });
    if (facts === undefined) return null;
    return facts.isDirectory() ? 'folder' : 'file';
  } catch {
    // The finding says that nothing is there, and the run why.
    return null;
  }
}
