import * as l10n from '@vscode/l10n';
import { object, text } from '../../tasks/key-docs.ts';
import type { EnvironmentSpec } from '../../tasks/task.ts';
import type { Kind } from '../kind.ts';
import { mcpProblems } from './problems.ts';
import { readMcp, serversIn, startsContainer } from './spec.ts';
import { variablesIn } from './template.ts';

/** The tools of MCP servers: environments of HUD 0.4 and 0.5. */
export const mcp: Kind = {
  name: 'mcp',
  types: {
    mcp: {
      doc: 'The tools of MCP servers, as in HUD 0.4 and 0.5. Actions are calls of tools: `{"name": …, "arguments": {…}}`. This version runs it.',
      written: 'object',
      keys: {
        type: text('The kind of environment.', 'mcp'),
        config: object(
          'The MCP servers by name, each with a `url` and `headers`, or with a `command`, `args`, and `env`. Variables such as `$HUD_API_KEY` are those of the environment and of `.env` files.',
          { local: { command: 'python', args: ['server.py'] } },
          { hud: 'In HUD 0.3 only. In HUD 0.4 it is `mcp_config` of the task.', required: true },
        ),
      },
      suggestedKeys: ['config'],
    },
  },
  problems: mcpProblems,
  // Which tools a task has is its own choice.
  identity: ({ args: _args, solution: _solution, ...rest }) => rest,
  provides: [],
  calls: 'environment',
  callLimit: 600_000,
  start: ({ scenario, args }) =>
    typeof scenario === 'string' ? { function: scenario, args: args === undefined ? [] : [args] } : null,
  gradesOnce: ({ scenario }) => typeof scenario === 'string',
  anyReward: true,
  templates: [],
  suggestedCalls: [],
  givesGoal: ({ scenario }) => typeof scenario === 'string',
  dialect: () => 'object',
  view: { icon: 'box', shows: 'screenshot', keyboardTarget: l10n.t('Keyboard goes to the environment') },
  isRemote: true,
  rescoring: { refused: 'the environment of a run is not recorded: run the task again to score it' },
  // A server may have left processes behind.
  reusesProcess: false,
  image: null,
  // Its servers run in the session, and nothing of them in Docker.
  server: () => null,
  startsContainers,
  variables: (spec) => variablesIn(serversIn(spec)),
};

/** Whether every program of a task is `docker run`. */
function startsContainers(spec: EnvironmentSpec): boolean {
  const read = readMcp(spec, serversIn(spec));
  if ('problems' in read) return false;
  const programs = [...read.servers.values()].filter((server) => server.kind === 'program');
  return programs.length > 0 && programs.every(({ command, args }) => startsContainer(command, args));
}
