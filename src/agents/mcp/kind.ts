import * as l10n from '@vscode/l10n';
import type { AgentKind } from '../agent-kind.ts';

/** Any agent that connects to the run over MCP. */
export const mcpKind: AgentKind = {
  name: 'mcp',
  syntax: ['mcp'],
  label: l10n.t('External Agent'),
  description: l10n.t('An agent that connects to the run over MCP'),
  icon: 'plug',
  argument: null,
  port: async () => (await (await import('./port.ts')).agentPort()).number,
  describe: () => l10n.t('external agent'),
  parse: () => ({
    files: [],
    open: async (context) => (await import('./outside-agent.ts')).outsideAgent(context),
  }),
};
