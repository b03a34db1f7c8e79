import { posix } from 'node:path';
import type { FileChange, Workspace } from '../../functions/declaration.ts';
import { NotRecorded } from '../../functions/not-recorded.ts';
import type { RecordedSnapshot } from '../environment.ts';
import { MAX_CHANGES } from './changes.ts';

/**
 * The files of a coding task in a snapshot of a recorded run: only the changed ones are known. `unrecorded` refuses
 * everything else.
 */
export function recordedWorkspace({ changes, resources }: RecordedSnapshot, unrecorded: Workspace): Workspace {
  if (changes === undefined) return unrecorded;
  const textOf = (path: string, name: string | undefined): Uint8Array => {
    const text = name === undefined ? undefined : resources[name];
    if (text !== undefined) return text;
    throw new NotRecorded(`the content of “${path}” is not recorded: run the task again to judge this`);
  };
  return {
    get folder(): string {
      return unrecorded.folder;
    },
    read: async (path) => {
      const wanted = posix.normalize(path);
      const change = changes.find((one) => one.path === wanted);
      if (change === undefined) return await unrecorded.read(path);
      return change.kind === 'removed' ? null : textOf(path, change.after);
    },
    write: (path, content) => unrecorded.write(path, content),
    run: (command, options) => unrecorded.run(command, options),
    changes: async () => {
      if (changes.length >= MAX_CHANGES) {
        throw new NotRecorded(`only ${MAX_CHANGES} changed files are recorded: run the task again to judge this`);
      }
      return changes.map(
        ({ path, kind, before, after }): FileChange => ({
          path,
          kind,
          before: kind === 'added' ? null : textOf(path, before),
          after: kind === 'removed' ? null : textOf(path, after),
        }),
      );
    },
  };
}
