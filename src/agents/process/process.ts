import type { Screen } from '../../actions/action.ts';
import { defined } from '../../base/defined.ts';
import { parseJson } from '../../base/parse-json.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import type { EnvironmentSpec } from '../../tasks/task.ts';
import type { Agent, Answer, Turn } from '../agent.ts';
import { AgentError } from '../agent-error.ts';
import type { AgentContext } from '../agent-kind.ts';
import { AgentProcess, eachLine } from '../agent-process.ts';
import { agentVariables, withheldVariables } from '../agent-variables.ts';
import { ANSWER_FORM, answerSchemaIn } from '../answer.ts';
import { readScreen } from './screen-declaration.ts';

/** An agent whose answers are this far ahead of the questions is not read further. */
const MAX_AHEAD = 1_000;

function shorten(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** Parses one line of an agent's output. Throws `AgentError`. */
function readAnswer(line: string, environment: EnvironmentSpec): Answer {
  let json: unknown;
  try {
    json = parseJson(line);
  } catch (error) {
    throw new AgentError(
      'agent_answer',
      `The agent wrote a line that is not JSON (${(error as Error).message}): ${shorten(line)}\n${ANSWER_FORM} per line of standard output, and write everything else to standard error.`,
    );
  }
  const answer = answerSchemaIn(environment).safeParse(json);
  if (!answer.success) {
    throw new AgentError('agent_answer', `The agent answered ${shorten(line)}. ${ANSWER_FORM}.`);
  }
  return answer.data;
}

/** An agent in any language: one line of JSON in, one line of JSON out. */
export function processAgent(command: string, args: readonly string[], context: AgentContext): Agent {
  const agent = new AgentProcess([command, ...args], {
    ...{ log: context.log, env: agentVariables(context.variables), cwd: context.cwd },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const { child } = agent;
  const waiting: { resolve(line: string): void; reject(error: unknown): void }[] = [];
  const lines: string[] = [];
  let failure: AgentError | null = null;
  let screen: Screen | undefined;

  const fail = (error: AgentError): void => {
    failure ??= error;
    for (const one of waiting.splice(0)) one.reject(failure);
  };
  /** Whether the line declares the agent's resolution. Such a line is not an answer. */
  const declares = (line: string): boolean => {
    try {
      const declaration = readScreen(line);
      screen = declaration ?? screen;
      return declaration !== undefined;
    } catch (error) {
      fail(error as AgentError);
      return true;
    }
  };
  // The exit handler reports the end of the process; errors of late writes add nothing.
  child.stdin?.on('error', () => {});
  if (child.stdout !== null) {
    eachLine(
      child.stdout,
      (line) => {
        if (line.trim() === '' || declares(line)) return;
        const first = waiting.shift();
        if (first !== undefined) {
          first.resolve(line);
          return;
        }
        lines.push(line);
        if (lines.length >= MAX_AHEAD) child.stdout?.pause();
      },
      () => fail(new AgentError('agent_answer', 'The agent wrote a line of more than 16 MB.')),
    );
  }
  agent.exit.then(
    (how) =>
      fail(
        new AgentError(
          'agent_died',
          `The agent's process ended with ${how} before it answered.${agent.lastLines}${withheldVariables(context.variables)}`,
        ),
      ),
    (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'ENOENT' ? 'no such program' : error.message;
      fail(
        new AgentError('agent_missing', `The agent could not be started: ${command}: ${reason}. Check the command.`, {
          cause: error,
        }),
      );
    },
  );

  const sendTurn = (turn: Turn): void => {
    const { text, screenshot, data, dialog } = turn.observation;
    const line = JSON.stringify({
      prompt: turn.prompt,
      step: turn.step,
      observation: {
        text,
        screenshot: screenshot === null ? null : Buffer.from(screenshot.data).toString('base64'),
        ...defined({ data, dialog }),
      },
      reward: turn.reward,
      terminated: turn.terminated,
      error: turn.error,
      // They stay the same.
      ...(turn.step === 0 && turn.tools.length > 0 ? { tools: turn.tools } : {}),
    });
    if (child.stdin?.writable === true) child.stdin.write(`${line}\n`);
  };

  return {
    async act(turn, signal) {
      signal.throwIfAborted();
      if (failure !== null && lines.length === 0) throw failure;
      sendTurn(turn);
      const line =
        lines.shift() ??
        (await untilAborted(new Promise<string>((resolve, reject) => waiting.push({ resolve, reject })), signal));
      if (lines.length < MAX_AHEAD) child.stdout?.resume();
      return { actions: readAnswer(line, context.environment) };
    },
    get screen() {
      return screen;
    },
    finish: sendTurn,
    close: () => agent.close(() => child.stdin?.end()),
  };
}
