import { basename } from 'node:path';
import * as l10n from '@vscode/l10n';
import { describeAgent } from '../agents/registry.ts';
import { kindOfType } from '../environments/kinds.ts';
import { solutionName } from '../runs/solutions/solution-file.ts';
import { plainLabel } from './plain-text.ts';

/** A short text for an agent: `solution`, or as `describeAgent`. `task`: the name of the task. */
export function agentLabel(agent: string, task?: string): string {
  if (task !== undefined && agent.startsWith('replay:') && basename(agent) === solutionName(task))
    return l10n.t('solution');
  return plainLabel(describeAgent(agent));
}

/** `browser`, `qa`, or the type of an environment that Taskwright cannot run. */
export function environmentLabel(env: Parameters<typeof kindOfType>[0]): string {
  return kindOfType(env)?.name ?? env.type;
}
