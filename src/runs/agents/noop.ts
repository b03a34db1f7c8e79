import type { AgentKind } from './agent-kind.ts';
import { scriptedAgent } from './scripted.ts';

/** Ends at once: the reward of a task before anything was done. */
export const noopKind: AgentKind = {
  name: 'noop',
  syntax: ['noop'],
  label: 'No-op',
  description: 'Ends at once, to see the reward of doing nothing',
  icon: 'circle-slash',
  argument: null,
  editorOnly: false,
  forManyTasks: true,
  describe: () => 'no-op',
  parse: () => ({ files: [], open: async () => scriptedAgent([]) }),
};
