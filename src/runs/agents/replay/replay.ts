import { readFile } from 'node:fs/promises';
import { type ActionInput, actionInputSchema, type Screen, screenSchema } from '../../../actions/action.ts';
import { systemWords } from '../../../tasks/system-error.ts';
import { openRun } from '../../store/store.ts';
import { TraceError } from '../../store/trace-file.ts';
import type { Agent, Answer } from '../agent.ts';
import { AgentError } from '../spec.ts';

/**
 * Reads a file of actions: each line an action string or a JSON action; a blank line or one that starts with `//` or
 * `#` is nothing. Strings are not looked into: whether they are actions depends on the environment.
 */
export function readActions(text: string, file: string): readonly ActionInput[] {
  const actions: ActionInput[] = [];
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  for (const [index, raw] of lines.entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('//') || line.startsWith('#')) continue;
    if (!line.startsWith('{')) {
      actions.push(line);
      continue;
    }
    const place = `${file}:${index + 1}`;
    let json: unknown;
    try {
      json = JSON.parse(line);
    } catch (error) {
      throw new AgentError('agent_broken', `${place}: this line is not JSON: ${(error as Error).message}`);
    }
    const action = actionInputSchema.safeParse(json);
    if (!action.success) {
      throw new AgentError('agent_broken', `${place}: an action needs a "type", such as {"type": "click"}.`);
    }
    actions.push(action.data);
  }
  return actions;
}

/** Gives answers that are known beforehand. */
function scripted(answers: readonly Exclude<Answer, null>[], screen?: Screen): Agent {
  let given = 0;
  return {
    screen,
    act: async () => {
      const answer = answers[given] ?? null;
      given += 1;
      return answer;
    },
    get exhausted() {
      return given >= answers.length;
    },
    close: async () => {},
  };
}

/** Ends at once. */
export function noopAgent(): Agent {
  return scripted([]);
}

/** Gives the actions of a file one by one. Throws `AgentError`. */
export async function replayFile(path: string): Promise<Agent> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new AgentError('agent_missing', `The actions cannot be read: ${systemWords(error)}`);
  }
  return scripted(readActions(text, path));
}

/** Gives the answers that the agent of a recorded run gave. Throws `AgentError`. */
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
    return scripted(answers, screen);
  } catch (error) {
    if (error instanceof TraceError) {
      throw new AgentError('agent_broken', `The run cannot be replayed: ${error.message}`, { cause: error });
    }
    throw error;
  }
}
