import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import * as l10n from '@vscode/l10n';
import { AgentError } from '../agent-error.ts';
import type { AgentKind } from '../agent-kind.ts';

/** Repeats the actions of a file or of a recorded run. */
export const replayKind: AgentKind = {
  name: 'replay',
  syntax: ['replay:FILE', 'replay:RUN_FOLDER'],
  label: l10n.t('Replay…'),
  description: l10n.t('Actions from a file, one per line'),
  icon: 'list-ordered',
  argument: {
    type: 'file',
    title: l10n.t('Select Actions to Replay'),
    filters: { [l10n.t('Actions')]: ['actions'], [l10n.t('All files')]: ['*'] },
  },
  describe: (file) => l10n.t('replay {0}', basename(file)),
  parse: (file, cwd) => {
    const path = resolve(cwd, file);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) {
      throw new AgentError('agent_missing', `${path} does not exist. Check the path in “replay:${file}”.`);
    }
    const isRun = stats.isDirectory();
    return {
      files: [{ path, role: isRun ? 'trace' : 'solution' }],
      open: async ({ environment }) => {
        const { replayFile, replayRun } = await import('./replay.ts');
        return isRun ? await replayRun(path) : await replayFile(path, environment);
      },
    };
  },
};
