import type { ActionInput, Point, Screen } from '../../actions/action.ts';
import { defined } from '../../base/defined.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import type { CallResult, Phase } from '../../functions/declaration.ts';
import type { Call } from '../../tasks/task.ts';
import {
  type CreateEnvironment,
  type Environment,
  EnvironmentError,
  type Observation,
  type Picture,
  PLAIN_RESULT,
  type Pointed,
  type ResetOptions,
  requireTask,
  type StartResult,
  type StepResult,
} from '../environment.ts';
import { AgentTools } from '../mcp/agent-tools.ts';
import { readPrompt } from '../mcp/prompt.ts';
import { startLimit } from '../start-limit.ts';
import { stepObjects } from '../step-actions.ts';
import { type OpenCapabilities, openCapabilities } from './capabilities.ts';
import { RefusalError } from './channel.ts';
import { readGrade } from './grade.ts';
import { gradeTask, messageOf, type Verifier, verify } from './grading.ts';
import { promptFault } from './prompt-fault.ts';
import { HudSession } from './session.ts';
import { type HudPlace, readHud } from './spec.ts';
import { type Actor, notOffered, partsOf, resultOf, runCommands } from './step-parts.ts';

const NOT_ISOLATED =
  'HUD does not isolate the shell of this environment: commands of agents have the permissions of the environment, and can read its code. HUD isolates them where bubblewrap is installed.';

/** The state of one task. */
interface TaskState {
  readonly session: HudSession;
  readonly verifier: Verifier | null;
  readonly capabilities: OpenCapabilities;
  readonly tools: AgentTools;
  /** The prompt, or the result of the last tool. */
  toolObservation: Observation;
  response: string | null;
  /** The task ended with its grade. */
  isGraded: boolean;
}

const HOLDS_ONE_TASK =
  'The environment is older than HUD 0.6.13 and holds one task at a time: run one after the other.';
const VERIFIER_BESIDE =
  'The verifier runs in the environment of its task, because it names the same one. Its "runtime_config" has no effect.';

/** An environment of HUD 0.6, which is reached over its control channel. A task is a template in it. */
export class HudEnvironment implements Environment {
  #task: TaskState | null = null;
  /** The session of a task that is being started. */
  #starting: HudSession | null = null;
  readonly #log: (text: string) => void;
  readonly #lives = new Set<{ readonly frame: (picture: Picture) => void; stop: (() => Promise<void>) | null }>();
  broken: Promise<never> = new Promise(() => {});

  constructor(log: (text: string) => void) {
    this.#log = log;
  }

  async reset(options: ResetOptions): Promise<StartResult> {
    const { task, address, verifier: graderAddress } = options;
    await this.close();
    const { place, template, args, numbers, verifier: grader } = readHud(task.env);
    const url = addressOf(place, address, 'The environment');
    const verifier: Verifier | null = grader && {
      ...grader,
      address: grader.isBeside ? null : addressOf(grader.place, graderAddress, 'The environment of the verifier'),
    };
    const session = await HudSession.open(url);
    this.#starting = session;
    let capabilities: OpenCapabilities | null = null;
    try {
      const starting = session.start(template, args, numbers);
      const { prompt: turns, ...rest } = await untilAborted(starting, startLimit(options));
      const prompt = readPrompt(turns);
      if (prompt === null) {
        const message = `The template “${template}” yields no prompt first, so there is nothing for an agent to do.`;
        throw new EnvironmentError('start_failed', message);
      }
      capabilities = await openCapabilities(url, session.capabilities, task, this.#log);
      this.broken = Promise.race(capabilities.lost);
      // The session reports it.
      this.broken.catch(() => {});
      const tools = new AgentTools(capabilities.tools, this.#log);
      this.#task = { session, verifier, capabilities, tools, toolObservation: prompt, response: null, isGraded: false };
      const { surface, commands } = capabilities;
      if (surface !== null) for (const live of this.#lives) live.stop = await surface.environment.live(live.frame);
      const first = resultOf(this.#task, await surface?.environment.observe());
      const warnings = [
        promptFault(turns),
        capabilities.unusedWarning,
        commands?.isolated === false ? NOT_ISOLATED : null,
        place.kind === 'address' && session.holdsOneTask ? HOLDS_ONE_TASK : null,
        grader?.ignoresRuntime === true ? VERIFIER_BESIDE : null,
      ];
      const offers = [surface?.offer, commands && ('commands' as const)].filter((offer) => offer != null);
      return {
        ...first,
        info: { ...first.info, ...(Object.keys(rest).length === 0 ? {} : { task_info: rest }) },
        goal: prompt.text,
        ...defined({
          warning: warnings.filter((one) => one !== null).join('\n') || undefined,
          actions: tools.schema,
          offers: offers.length === 0 ? undefined : offers,
        }),
      };
    } catch (error) {
      await Promise.all([session.close(), capabilities?.close()]);
      if (!(error instanceof RefusalError)) throw error;
      const message = `The template “${template}” could not be started: ${messageOf(error)}`;
      throw new EnvironmentError('environment_failed', message, { cause: error });
    } finally {
      this.#starting = null;
    }
  }

  async observe(): Promise<StepResult> {
    const task = requireTask(this.#task);
    return resultOf(task, await task.capabilities.surface?.environment.observe());
  }

  async step(inputs: readonly ActionInput[], screen?: Screen): Promise<StepResult> {
    const task = requireTask(this.#task);
    const { surface } = task.capabilities;
    const parts: StepResult[] = [];
    const { toolObservation } = task;
    let surfaceResult: StepResult | undefined;
    for (const { inputs: partInputs, actor } of partsOf(inputs, surface !== null)) {
      surfaceResult = actor === 'surface' ? await surface?.environment.step(partInputs, screen) : undefined;
      const part = surfaceResult ?? (await carryOut(task, partInputs, actor));
      parts.push(part);
      task.response ??= part.info.response ?? null;
      if (part.error !== null || part.terminated || task.response !== null) break;
    }
    surfaceResult ??= await surface?.environment.observe();
    return resultOf(task, surfaceResult, parts, task.toolObservation === toolObservation ? null : task.toolObservation);
  }

  async finish(): Promise<StepResult> {
    const task = requireTask(this.#task);
    return resultOf(task, await task.capabilities.surface?.environment.finish?.());
  }

  async pointed(point: Point | null): Promise<Pointed | null> {
    return (await requireTask(this.#task).capabilities.surface?.environment.pointed?.(point)) ?? null;
  }

  async live(frame: (picture: Picture) => void): Promise<() => Promise<void>> {
    const live = { frame, stop: (await this.#task?.capabilities.surface?.environment.live(frame)) ?? null };
    this.#lives.add(live);
    return async () => {
      this.#lives.delete(live);
      await live.stop?.();
    };
  }

  async call(
    _call: Call,
    _phase: Phase,
    { response, signal }: { readonly response?: string; readonly signal: AbortSignal },
  ): Promise<CallResult> {
    const task = requireTask(this.#task);
    if (task.isGraded) {
      const message = 'the task was graded already, and HUD grades a task once: run it again';
      return { error: { code: 'call_threw', message } };
    }
    task.isGraded = true;
    const answer = response ?? task.response;
    try {
      return task.verifier === null
        ? readGrade(await gradeTask(task.session, answer, signal))
        : await verify(task.session, task.verifier, answer, signal, this.#log);
    } catch (error) {
      if (!(error instanceof RefusalError)) throw error;
      return { error: { code: 'call_threw', message: messageOf(error) } };
    }
  }

  async close(): Promise<void> {
    const { session, capabilities } = this.#task ?? {};
    const starting = this.#starting;
    this.#task = null;
    this.#starting = null;
    this.broken = new Promise(() => {});
    await Promise.all([capabilities?.close(), session?.close(), starting?.close()]);
  }
}

/** Carries out actions that need no surface. */
async function carryOut(task: TaskState, inputs: readonly ActionInput[], actor: Actor): Promise<StepResult> {
  if (actor === 'tools') return useTools(task, inputs);
  const { commands } = task.capabilities;
  return actor === 'commands' && commands !== null ? runCommands(task, commands, inputs) : notOffered(inputs, actor);
}

/** Carries out calls of tools and responses. */
async function useTools(task: TaskState, inputs: readonly ActionInput[]): Promise<StepResult> {
  const { acted, response, infeasible, error } = await stepObjects(inputs, {
    act: async (value) => {
      const { observation, error } = await task.tools.act(value);
      task.toolObservation = observation ?? task.toolObservation;
      return error;
    },
    onActed: (_input, action) => {
      if (action?.type === 'response') task.response = action.text;
    },
    isOver: () => task.response !== null,
  });
  const info = { acted, ...(response === null ? {} : { response }) };
  return { ...PLAIN_RESULT, observation: task.toolObservation, terminated: infeasible, info, error };
}

/** The address that a row names, or the one of the server that was started for it. */
function addressOf(place: HudPlace, serverAddress: string | undefined, what: string): string {
  const address = place.kind === 'address' ? place.url : serverAddress;
  if (address !== undefined) return address;
  throw new EnvironmentError('start_failed', `${what} was not started: it runs in Docker (--placement docker).`);
}

export const create: CreateEnvironment = ({ log }) => new HudEnvironment(log);
