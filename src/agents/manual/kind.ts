import * as l10n from '@vscode/l10n';
import { AgentError } from '../agent-error.ts';
import type { AgentKind } from '../agent-kind.ts';

/** The user at the run panel. */
export const manualKind: AgentKind = {
  name: 'manual',
  syntax: ['manual'],
  label: l10n.t('Manual'),
  description: l10n.t('You, with mouse and keyboard'),
  icon: 'person',
  argument: null,
  editorOnly: true,
  describe: () => l10n.t('manual'),
  parse: () => ({
    files: [],
    open: async ({ manualInput, environment }) => {
      if (manualInput === null) {
        throw new AgentError('agent_unknown', 'The agent “manual” works only in the editor. Use another agent.');
      }
      const { manualAgent } = await import('./manual.ts');
      return manualAgent(manualInput, environment);
    },
  }),
};
