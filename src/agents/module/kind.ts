import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import * as l10n from '@vscode/l10n';
import { AgentError } from '../agent-error.ts';
import type { AgentKind } from '../agent-kind.ts';

/** A JavaScript or TypeScript module whose default export is the agent, in its own process. */
export const moduleKind: AgentKind = {
  name: 'module',
  syntax: ['module:FILE'],
  label: l10n.t('Module…'),
  description: l10n.t('A function in a JavaScript or TypeScript file'),
  icon: 'symbol-function',
  argument: {
    type: 'file',
    title: l10n.t('Select an Agent Module'),
    filters: { [l10n.t('Agent modules')]: ['ts', 'mts', 'js', 'mjs'] },
  },
  forManyTasks: true,
  describe: (file) => l10n.t('module {0}', basename(file)),
  parse: (file, cwd) => {
    const path = resolve(cwd, file);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) {
      throw new AgentError('agent_missing', `${path} does not exist. Check the path in “module:${file}”.`);
    }
    if (!stats.isFile()) {
      throw new AgentError('agent_broken', `${path} is not a file. Use module: with a .ts, .js, or .mjs file.`);
    }
    return {
      files: [{ path, role: 'agent' }],
      open: async (context) => (await import('./module.ts')).moduleAgent(path, context),
    };
  },
};
