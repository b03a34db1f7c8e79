import { readFile } from 'node:fs/promises';
import { type ActionInput, type Screen, screenSchema } from '../../actions/action.ts';
import { withLineFeeds } from '../../base/lines.ts';
import { parseJson } from '../../base/parse-json.ts';
import { describeSystemError } from '../../base/system-error.ts';
import type { EnvironmentSpec } from '../../tasks/task.ts';
import { openRun } from '../../traces/store.ts';
import { TraceError } from '../../traces/trace-file.ts';
import type { Agent, Answer } from '../agent.ts';
import { AgentError } from '../agent-error.ts';
import { actionSchemaIn } from '../answer.ts';
import { scriptedAgent } from '../scripted.ts';

/**
 * Parses a file of actions. Each line is an action string or a JSON action; blank lines and lines that start with `//` or
 * `#` are skipped. Action strings are not parsed here, because their syntax depends on the environment.
 */
export function readActions(text: string, file: string, environment: EnvironmentSpec): readonly ActionInput[] {
  const schema = actionSchemaIn(environment);
  const actions: ActionInput[] = [];
  const lines = withLineFeeds(text)
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/);
  for (const [index, raw] of lines.entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('//') || line.startsWith('#')) continue;
    if (!line.startsWith('{')) {
      actions.push(line);
      continue;
    }
    const location = `${file}:${index + 1}`;
    let json: unknown;
    try {
      json = parseJson(line);
    } catch (error) {
      throw new AgentError('agent_broken', `${location}: The line is not valid JSON: ${(error as Error).message}.`);
    }
    const action = schema.safeParse(json);
    if (!action.success) {
      throw new AgentError('agent_broken', `${location}: An action needs a "type", for example {"type": "click"}.`);
    }
    actions.push(action.data);
  }
  return actions;
}

/** Gives the actions of a file, one per answer. Rejects with `AgentError`. */
export async function replayFile(path: string, environment: EnvironmentSpec): Promise<Agent> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new AgentError('agent_missing', `The actions in ${path} cannot be read: ${describeSystemError(error)}.`);
  }
  return scriptedAgent(readActions(text, path, environment));
}

/** Gives the answers that the agent of a recorded run gave. Rejects with `AgentError`. */
export async function replayRun(folder: string): Promise<Agent> {
  try {
    const run = await openRun(folder);
    const answers: Exclude<Answer, null>[] = [];
    let screen: Screen | undefined;
    for (const step of await run.steps()) {
      if (step.source !== 'agent' || step.action === undefined) continue;
      answers.push(step.action);
      screen ??= screenSchema.safeParse(step.info['screen']).data;
    }
    return scriptedAgent(answers, screen);
  } catch (error) {
    if (error instanceof TraceError) {
      throw new AgentError('agent_broken', `The run cannot be replayed: ${error.message}`, { cause: error });
    }
    throw error;
  }
}
