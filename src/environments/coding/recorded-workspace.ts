import { posix } from 'node:path';
import { defined } from '../../base/defined.ts';
import { AgentFault } from '../../functions/agent-fault.ts';
import type { FileChange, Workspace } from '../../functions/declaration.ts';
import { NotRecorded } from '../../functions/not-recorded.ts';
import type { RecordedSnapshot } from '../environment.ts';
import { MAX_CHANGES } from './changes.ts';

/**
 * The files of a coding task in a snapshot of a recorded run. Only the changed ones are recorded; `fallback` rejects
 * everything else.
 */
export function recordedWorkspace({ changes, resources }: RecordedSnapshot, fallback: Workspace): Workspace {
  if (changes === undefined) return fallback;
  const textOf = (path: string, name: string | undefined): Uint8Array => {
    const text = name === undefined ? undefined : resources[name];
    if (text !== undefined) return text;
    throw new NotRecorded(`the content of “${path}” is not recorded: run the task again to judge this`);
  };
  return {
    get folder(): string {
      return fallback.folder;
    },
    read: async (path) => {
      const normalPath = posix.normalize(path);
      const change = changes.find((one) => one.path === normalPath);
      if (change === undefined) return await fallback.read(path);
      if (change.kind === 'removed') return null;
      if (change.link_fault !== undefined) throw new AgentFault(change.link_fault);
      return textOf(path, change.after_mode === '120000' ? change.link_content : change.after);
    },
    write: (path, content) => fallback.write(path, content),
    files: (path) => fallback.files(path),
    remove: (...paths) => fallback.remove(...paths),
    run: (command, options) => fallback.run(command, options),
    changes: async () => {
      if (changes.length >= MAX_CHANGES) {
        throw new NotRecorded(`only ${MAX_CHANGES} changed files are recorded: run the task again to judge this`);
      }
      return changes.map(
        ({ path, kind, before, after, before_mode: beforeMode, after_mode: afterMode }): FileChange => ({
          path,
          kind,
          before: kind === 'added' ? null : textOf(path, before),
          after: kind === 'removed' ? null : textOf(path, after),
          ...defined({ beforeMode, afterMode }),
        }),
      );
    },
  };
}
