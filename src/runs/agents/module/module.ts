import { fork } from 'node:child_process';
import type { Screen } from '../../../actions/action.ts';
import type { Agent } from '../agent.ts';
import { AgentError } from '../agent-error.ts';
import type { AgentContext } from '../agent-kind.ts';
import { ANSWER_FORM, answerSchemaIn } from '../answer.ts';
import { AgentProcess, eachLine } from '../processes/child.ts';
import { programEnvironment } from '../processes/program.ts';
import { reaperOf } from '../processes/reaper.ts';
import { type FromModule, fromModuleSchema, type ToModule } from './messages.ts';

/** The agent that the default export of a TypeScript or JavaScript file is, in a process of its own. */
export function moduleAgent(path: string, context: AgentContext): Agent {
  const host = new AgentProcess(reaperOf(context.program), context.log, programEnvironment(), (env) =>
    fork(context.program, ['module'], {
      cwd: context.cwd,
      execPath: process.execPath,
      execArgv: [],
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      serialization: 'advanced',
      detached: process.platform !== 'win32',
    }),
  );
  const { child } = host;
  const answerSchema = answerSchemaIn(context.environment);
  let waiting: { resolve(message: FromModule): void; reject(error: unknown): void } | null = null;
  let failure: AgentError | null = null;

  const fail = (error: AgentError): void => {
    failure ??= error;
    waiting?.reject(failure);
    waiting = null;
  };
  if (child.stdout !== null) eachLine(child.stdout, context.log, () => context.log('(a line too long to show)'));
  child.on('message', (message: unknown) => {
    const said = fromModuleSchema.safeParse(message);
    if (!said.success)
      fail(
        new AgentError(
          'agent_answer',
          `The agent ${path} sent an unknown message to its parent process. Do not call process.send in an agent.`,
        ),
      );
    else waiting?.resolve(said.data);
    waiting = null;
  });
  host.ended.then(
    (how) => {
      const output = host.lastLines === '' ? '' : `\nLast lines of its output:\n${host.lastLines}`;
      fail(new AgentError('agent_died', `The process of the agent ${path} ended with ${how}.${output}`));
    },
    (error: Error) => fail(new AgentError('agent_died', `The agent's process could not be started: ${error.message}.`)),
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
          context.log(said.error.stack);
          throw new AgentError('agent_broken', `The agent ${path} cannot be loaded: ${said.error.message}`);
        }
        if (said.type === 'loaded') screen = said.screen;
        loaded = true;
      }
      const said = await ask({ type: 'act', turn }, signal);
      if (said.type === 'threw') {
        context.log(said.error.stack);
        throw new AgentError(
          'agent_threw',
          `The agent ${path} threw an error at step ${turn.step}: ${said.error.message}`,
        );
      }
      // `undefined` means done, as null does.
      const given = said.type === 'answer' ? (said.answer ?? null) : null;
      const answer = answerSchema.safeParse(given);
      if (!answer.success) {
        throw new AgentError(
          'agent_answer',
          `The agent ${path} returned ${JSON.stringify(given)?.slice(0, 200)} at step ${turn.step}. ${ANSWER_FORM}.`,
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
