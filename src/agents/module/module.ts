import type { Duplex } from 'node:stream';
import type { Screen } from '../../actions/action.ts';
import { parseAs } from '../../base/json-validator.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import { programEnvironment } from '../../processes/program-environment.ts';
import type { Agent, Turn } from '../agent.ts';
import { AgentError } from '../agent-error.ts';
import type { AgentContext } from '../agent-kind.ts';
import { AgentProcess, eachLine } from '../agent-process.ts';
import { agentVariables, withheldVariables } from '../agent-variables.ts';
import { ANSWER_FORM, answerSchemaIn } from '../answer.ts';
import { CHANNEL, type FromModule, fromModuleSchema, type ToModule } from './messages.ts';

/** The agent in the default export of a TypeScript or JavaScript file, in its own process. */
export function moduleAgent(path: string, context: AgentContext): Agent {
  const host = new AgentProcess([process.execPath, context.program, 'module'], {
    ...{ log: context.log, env: programEnvironment(agentVariables(context.variables)), cwd: context.cwd },
    // Not Node's own channel between processes: an agent that writes anything else into it would end this process.
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const { child } = host;
  const withheld = withheldVariables(context.variables);
  const answerSchema = answerSchemaIn(context.environment);
  let waiting: PromiseWithResolvers<FromModule> | null = null;
  let failure: AgentError | null = null;
  let isOver = false;

  const fail = (error: AgentError): void => {
    failure ??= error;
    waiting?.reject(failure);
    waiting = null;
  };
  if (child.stdout !== null) eachLine(child.stdout, context.log, () => context.log('(a line too long to show)'));
  const channel = child.stdio[CHANNEL] as Duplex;
  const send = (message: ToModule): void => void (channel.writable && channel.write(`${JSON.stringify(message)}\n`));
  const failOnInvalidMessage = (): void => {
    fail(new AgentError('agent_answer', `The agent ${path} wrote into its channel to Taskwright, file descriptor 3.`));
    channel.destroy();
  };
  eachLine(
    channel,
    (line) => {
      // The agent's code runs in the process, and can write anything.
      const reply = parseAs(fromModuleSchema, line);
      // Nobody waits for the answer of a run that has ended meanwhile.
      if (isOver) return;
      if (reply === null || waiting === null) return failOnInvalidMessage();
      waiting.resolve(reply);
      waiting = null;
    },
    failOnInvalidMessage,
  );
  // The end of the process gives the reason.
  channel.on('error', () => {});
  host.exit.then(
    (how) =>
      fail(
        new AgentError('agent_died', `The process of the agent ${path} ended with ${how}.${host.lastLines}${withheld}`),
      ),
    (error: Error) => fail(new AgentError('agent_died', `The agent's process could not be started: ${error.message}.`)),
  );

  const ask = async (message: ToModule, signal: AbortSignal): Promise<FromModule> => {
    signal.throwIfAborted();
    if (failure !== null) throw failure;
    const reply = Promise.withResolvers<FromModule>();
    waiting = reply;
    send(message);
    try {
      return await untilAborted(reply.promise, signal);
    } finally {
      isOver = signal.aborted;
    }
  };

  let loaded = false;
  let screen: Screen | undefined;
  return {
    async act(turn, signal) {
      if (!loaded) {
        const reply = await ask({ type: 'load', path }, signal);
        if (reply.type === 'broken') {
          context.log(reply.error.stack);
          throw new AgentError('agent_broken', `The agent ${path} cannot be loaded: ${reply.error.message}${withheld}`);
        }
        if (reply.type === 'loaded') screen = reply.screen;
        loaded = true;
      }
      const reply = await ask({ type: 'act', turn: inText(turn) }, signal);
      if (reply.type === 'threw') {
        context.log(reply.error.stack);
        throw new AgentError(
          'agent_threw',
          `The agent ${path} threw an error at step ${turn.step}: ${reply.error.message}${withheld}`,
        );
      }
      // `undefined` means done, as null does.
      const value = reply.type === 'answer' ? (reply.answer ?? null) : null;
      const answer = answerSchema.safeParse(value);
      if (!answer.success) {
        throw new AgentError(
          'agent_answer',
          `The agent ${path} returned ${JSON.stringify(value)?.slice(0, 200)} at step ${turn.step}. ${ANSWER_FORM}.`,
        );
      }
      return { actions: answer.data };
    },
    get screen() {
      return screen;
    },
    close: () => host.close(() => send({ type: 'end' })),
  };
}

function inText({ observation, ...turn }: Turn): Extract<ToModule, { type: 'act' }>['turn'] {
  const { screenshot } = observation;
  const picture = screenshot === null ? null : Buffer.from(screenshot.data).toString('base64');
  const tools = turn.step === 0 ? turn.tools : [];
  return { ...turn, tools, observation: { ...observation, screenshot: picture } };
}
