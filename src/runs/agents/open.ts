import type { Agent } from './agent.ts';
import { moduleAgent } from './module.ts';
import { type AgentSurroundings, processAgent } from './process.ts';
import { noopAgent, replayFile, replayRun } from './replay.ts';
import { parseAgent } from './spec.ts';

/** Makes the agent that a person named. Throws `AgentError` where that is seen at once. */
export async function openAgent(name: string, around: AgentSurroundings): Promise<Agent> {
  const spec = parseAgent(name, around.cwd);
  switch (spec.kind) {
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
