import type { EnvironmentSpec } from '../../tasks/task.ts';
import type { Agent } from './agent.ts';
import { manualAgent } from './manual/manual.ts';
import type { Hands } from './manual/manual-input.ts';
import { moduleAgent } from './module/module.ts';
import { type AgentSurroundings, processAgent } from './process/process.ts';
import { noopAgent, replayFile, replayRun } from './replay/replay.ts';
import { AgentError, parseAgent } from './spec.ts';

/** The person whom the agent `manual` is, and the environment that they act in. */
interface InPerson {
  readonly hands: Hands | undefined;
  readonly env: EnvironmentSpec;
}

/** Makes the agent that a person named. Throws `AgentError` where that is seen at once. */
export async function openAgent(name: string, around: AgentSurroundings, person?: InPerson): Promise<Agent> {
  const spec = parseAgent(name, around.cwd);
  switch (spec.kind) {
    case 'manual':
      if (person?.hands !== undefined) return manualAgent(person.hands, person.env);
      throw new AgentError('agent_unknown', 'The agent “manual” is the person in the editor. Choose another here.');
    case 'noop':
      return noopAgent();
    case 'replay':
      return spec.recorded ? await replayRun(spec.path) : await replayFile(spec.path);
    case 'module':
      return moduleAgent(spec.path, around);
    case 'process':
      return processAgent(spec.command, spec.args, around);
  }
}
