import { spawn } from 'node:child_process';
import * as z from 'zod';
import { actionInputSchema, type Screen } from '../../../actions/action.ts';
import type { Agent, Answer, Turn } from '../agent.ts';
import { AgentProcess, eachLine } from '../processes/child.ts';
import { personEnvironment } from '../processes/program.ts';
import { reaperOf } from '../processes/reaper.ts';
import { AgentError } from '../spec.ts';
import { declaredScreen } from './screen.ts';

export const answerSchema = z.union([actionInputSchema, z.array(actionInputSchema), z.null()]);

export interface AgentSurroundings {
  readonly cwd: string;
  /** The path of agent.js. */
  readonly program: string;
  log(text: string): void;
}

function shortened(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** Reads one line of an agent. Throws `AgentError`. */
function readAnswer(line: string): Answer {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    throw new AgentError(
      'agent_answer',
      `The agent wrote a line that is not JSON: ${shortened(line)}\nEach line on its standard output must be an action, a list of actions or null; everything else belongs on standard error.`,
    );
  }
  const answer = answerSchema.safeParse(json);
  if (!answer.success) {
    throw new AgentError(
      'agent_answer',
      `The agent answered ${shortened(line)}, which is no action, no list of actions and not null.`,
    );
  }
  return answer.data;
}

/** An agent in any language: a line of JSON in, a line of JSON out. */
export function processAgent(command: string, args: readonly string[], around: AgentSurroundings): Agent {
  const process_ = new AgentProcess(reaperOf(around.program), around.log, personEnvironment(), (env) =>
    spawn(command, args, {
      cwd: around.cwd,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      env,
      windowsHide: true,
    }),
  );
  const { child } = process_;
  const waiting: { resolve(line: string): void; reject(error: unknown): void }[] = [];
  const lines: string[] = [];
  let failure: AgentError | null = null;
  let screen: Screen | undefined;

  const fail = (error: AgentError): void => {
    failure ??= error;
    for (const one of waiting.splice(0)) one.reject(failure);
  };
  /** Whether the line says the agent's resolution; it is no answer then. */
  const declares = (line: string): boolean => {
    try {
      const declared = declaredScreen(line);
      screen = declared ?? screen;
      return declared !== undefined;
    } catch (error) {
      fail(error as AgentError);
      return true;
    }
  };
  // Its end is seen as an exit; a write that comes too late says nothing more.
  child.stdin?.on('error', () => {});
  if (child.stdout !== null) {
    eachLine(
      child.stdout,
      (line) => {
        if (line.trim() === '' || declares(line)) return;
        const first = waiting.shift();
        if (first === undefined) lines.push(line);
        else first.resolve(line);
      },
      () => fail(new AgentError('agent_answer', 'The agent wrote a line of more than 16 MB.')),
    );
  }
  process_.ended.then(
    (how) => {
      const words = process_.lastWords === '' ? '' : `\nIts last words:\n${process_.lastWords}`;
      fail(new AgentError('agent_died', `The agent's process ended (${how}) before it had answered.${words}`));
    },
    (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'ENOENT' ? 'no such program was found' : error.message;
      fail(new AgentError('agent_missing', `The agent could not be started: ${command}: ${reason}.`, { cause: error }));
    },
  );

  const tell = (turn: Turn): void => {
    const { text, screenshot } = turn.observation;
    const line = JSON.stringify({
      prompt: turn.prompt,
      step: turn.step,
      observation: {
        text,
        screenshot: screenshot === null ? null : Buffer.from(screenshot.data).toString('base64'),
      },
      reward: turn.reward,
      terminated: turn.terminated,
      error: turn.error,
    });
    if (child.stdin?.writable === true) child.stdin.write(`${line}\n`);
  };

  return {
    async act(turn, signal) {
      signal.throwIfAborted();
      if (failure !== null && lines.length === 0) throw failure;
      tell(turn);
      const line = await new Promise<string>((resolve, reject) => {
        const ready = lines.shift();
        if (ready !== undefined) {
          resolve(ready);
          return;
        }
        const abort = (): void => reject(signal.reason);
        signal.addEventListener('abort', abort, { once: true });
        waiting.push({
          resolve: (line) => {
            signal.removeEventListener('abort', abort);
            resolve(line);
          },
          reject: (error) => {
            signal.removeEventListener('abort', abort);
            reject(error);
          },
        });
      });
      return readAnswer(line);
    },
    get screen() {
      return screen;
    },
    finish: tell,
    close: () => process_.close(() => child.stdin?.end()),
  };
}
