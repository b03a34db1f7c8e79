import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { AgentError } from '../agent-error.ts';
import type { AgentKind } from '../agent-kind.ts';

/** Repeats the actions of a file or of a recorded run. */
export const replayKind: AgentKind = {
  name: 'replay',
  syntax: ['replay:FILE', 'replay:RUN_FOLDER'],
  label: 'Replay…',
  description: 'Actions from a file, one per line',
  icon: 'list-ordered',
  argument: { type: 'file', title: 'Actions to Replay', filters: { Actions: ['actions'], 'All files': ['*'] } },
  editorOnly: false,
  forManyTasks: false,
  describe: (file) => `replay ${basename(file)}`,
  parse: (file, cwd) => {
    const path = resolve(cwd, file);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) {
      throw new AgentError('agent_missing', `${path} does not exist. Check the path in “replay:${file}”.`);
    }
    const isRun = found.isDirectory();
    return {
      files: [{ path, role: isRun ? 'trace' : 'solution' }],
      open: async ({ environment }) => {
        const { replayFile, replayRun } = await import('./replay.ts');
        return isRun ? await replayRun(path) : await replayFile(path, environment);
      },
    };
  },
};
