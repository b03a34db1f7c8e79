import * as l10n from '@vscode/l10n';
import type { ActionInput } from '../actions/action.ts';
import { AgentError } from './agent-error.ts';
import type { AgentKind } from './agent-kind.ts';
import { scriptedAgent } from './scripted.ts';

/** Makes the tool calls that a task of HUD solves itself with, as HUD's agent of the same name does. */
export const integrationTestKind: AgentKind = {
  name: 'integration_test',
  syntax: ['integration_test'],
  label: l10n.t('Integration Test'),
  description: l10n.t('The tool calls in the task itself: integration_test_tool or validation'),
  icon: 'beaker',
  argument: null,
  isOfferedFor: ({ solution }) => solution !== undefined,
  forManyTasks: true,
  describe: () => l10n.t('integration test'),
  parse: () => ({
    files: [],
    open: async ({ environment }) => {
      const { solution } = environment;
      if (Array.isArray(solution)) return scriptedAgent(solution as readonly ActionInput[]);
      const message =
        'The task has no tool calls in "integration_test_tool" (HUD 0.4) or "validation" (HUD 0.5 and 0.6).';
      throw new AgentError('agent_missing', message);
    },
  }),
};
