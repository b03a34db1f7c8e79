import * as l10n from '@vscode/l10n';
import type { AgentKind } from './agent-kind.ts';
import { scriptedAgent } from './scripted.ts';

/** Ends at once: the reward of a task before anything was done. */
export const noopKind: AgentKind = {
  name: 'noop',
  syntax: ['noop'],
  label: l10n.t('No-op'),
  description: l10n.t('Ends immediately, to see the reward without any action'),
  icon: 'circle-slash',
  argument: null,
  forManyTasks: true,
  describe: () => l10n.t('no-op'),
  parse: () => ({ files: [], open: async () => scriptedAgent([]) }),
};
