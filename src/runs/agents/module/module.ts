import { fork } from 'node:child_process';
import type { Screen } from '../../../actions/action.ts';
import type { Agent } from '../agent.ts';
import { type AgentSurroundings, answerSchema } from '../process/process.ts';
import { AgentProcess, eachLine } from '../processes/child.ts';
import { programEnvironment } from '../processes/program.ts';
import { reaperOf } from '../processes/reaper.ts';
import { AgentError } from '../spec.ts';
import { type FromModule, fromModuleSchema, type ToModule } from './messages.ts';

/** An agent in TypeScript or JavaScript: the default export of a file, in a process of its own. */
export function moduleAgent(path: string, around: AgentSurroundings): Agent {
  const host = new AgentProcess(reaperOf(around.program), around.log, programEnvironment(), (env) =>
    fork(around.program, ['module'], {
      cwd: around.cwd,
      execPath: process.execPath,
      execArgv: [],
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      serialization: 'advanced',
      detached: process.platform !== 'win32',
    }),
  );
  const { child } = host;
  let waiting: { resolve(message: FromModule): void; reject(error: unknown): void } | null = null;
  let failure: AgentError | null = null;

  const fail = (error: AgentError): void => {
    failure ??= error;
    waiting?.reject(failure);
    waiting = null;
  };
  if (child.stdout !== null) eachLine(child.stdout, around.log, () => around.log('(a line too long to show)'));
  child.on('message', (message: unknown) => {
    const said = fromModuleSchema.safeParse(message);
    if (!said.success)
      fail(new AgentError('agent_answer', `${path} sent a message of its own to its process's parent.`));
    else waiting?.resolve(said.data);
    waiting = null;
  });
  host.ended.then(
    (how) => {
      const words = host.lastWords === '' ? '' : `\nIts last words:\n${host.lastWords}`;
      fail(new AgentError('agent_died', `The process of the agent ${path} ended (${how}).${words}`));
    },
    (error: Error) => fail(new AgentError('agent_died', `The agent's process could not be started: ${error.message}`)),
  );

  const ask = async (message: ToModule, signal: AbortSignal): Promise<FromModule> => {
    signal.throwIfAborted();
    if (failure !== null) throw failure;
    const abort = (): void => {
      waiting?.reject(signal.reason);
      waiting = null;
    };
    signal.addEventListener('abort', abort, { once: true });
    try {
      return await new Promise<FromModule>((resolve, reject) => {
        waiting = { resolve, reject };
        child.send(message, (error) => {
          if (error !== null) host.ended.then(() => {}, reject);
        });
      });
    } finally {
      signal.removeEventListener('abort', abort);
    }
  };

  let loaded = false;
  let screen: Screen | undefined;
  return {
    async act(turn, signal) {
      if (!loaded) {
        const said = await ask({ type: 'load', path }, signal);
        if (said.type === 'broken') {
          around.log(said.error.stack);
          throw new AgentError('agent_broken', `The agent ${path} cannot be loaded: ${said.error.message}`);
        }
        if (said.type === 'loaded') screen = said.screen;
        loaded = true;
      }
      const said = await ask({ type: 'act', turn }, signal);
      if (said.type === 'threw') {
        around.log(said.error.stack);
        throw new AgentError('agent_threw', `The agent ${path} threw at step ${turn.step}: ${said.error.message}`);
      }
      // A function that returns nothing has nothing more to do.
      const given = said.type === 'answer' ? (said.answer ?? null) : null;
      const answer = answerSchema.safeParse(given);
      if (!answer.success) {
        throw new AgentError(
          'agent_answer',
          `The agent ${path} returned ${JSON.stringify(given)?.slice(0, 200)} at step ${turn.step}, which is no action, no list of actions and not null.`,
        );
      }
      return answer.data;
    },
    get screen() {
      return screen;
    },
    close: () =>
      host.close(() => {
        if (child.connected) child.send({ type: 'end' } satisfies ToModule, () => {});
      }),
  };
}
