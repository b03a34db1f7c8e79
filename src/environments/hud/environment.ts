import type { ActionInput, Point, Screen } from '../../actions/action.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import type { CallResult, Phase } from '../../functions/declaration.ts';
import type { Call } from '../../tasks/task.ts';
import {
  type Environment,
  EnvironmentError,
  type Observation,
  type Picture,
  type Pointed,
  type ResetOptions,
  type StartResult,
  type StepResult,
} from '../environment.ts';
import { AgentTools } from '../mcp/agent-tools.ts';
import { readPrompt } from '../mcp/prompt.ts';
import { startLimit } from '../start-limit.ts';
import { stepObjects } from '../step-objects.ts';
import { type OpenCapabilities, openCapabilities } from './capabilities.ts';
import { Refused } from './channel.ts';
import { readGrade } from './grade.ts';
import { graded, type Verifier, verify, wordsOf } from './grading.ts';
import { promptFault } from './prompt-fault.ts';
import { HudSession } from './session.ts';
import { type HudPlace, readHud } from './spec.ts';
import { notOffered, type Place, partsOf, resultOf, runCommands } from './step-parts.ts';

const NOT_ISOLATED =
  'HUD does not isolate the shell of this environment: commands of agents have the permissions of the environment, and can read its code. HUD isolates them where bubblewrap is installed.';

/** A started task. */
interface Started {
  readonly session: HudSession;
  readonly verifier: Verifier | null;
  readonly capabilities: OpenCapabilities;
  readonly tools: AgentTools;
  /** What the prompt or the last tool gave. */
  seen: Observation;
  response: string | null;
  /** The task ended with its grade. */
  isGraded: boolean;
}

const HOLDS_ONE_TASK =
  'The environment is older than HUD 0.6.13 and holds one task at a time: run one after the other.';
const VERIFIER_BESIDE =
  'The verifier runs in the environment of its task, because it names the same one. Its "runtime_config" has no effect.';

/** A task of HUD 0.6: a template in an environment that is reached over its control channel. */
export class HudEnvironment implements Environment {
  #task: Started | null = null;
  /** The session of a task that is being started. */
  #starting: HudSession | null = null;
  readonly #log: (text: string) => void;
  readonly #lives = new Set<{ readonly frame: (picture: Picture) => void; stop: (() => Promise<void>) | null }>();
  /** What the current task breaks by. */
  #broken: Promise<never> = new Promise(() => {});

  constructor(log: (text: string) => void) {
    this.#log = log;
  }

  get broken(): Promise<never> {
    return this.#broken;
  }

  async reset(options: ResetOptions): Promise<StartResult> {
    const { task, address, verifier: graderAddress } = options;
    await this.close();
    const { place, template, args, numbers, verifier: grader } = readHud(task.env);
    const url = addressOf(place, address, 'The environment');
    const verifier =
      grader === null
        ? null
        : {
            template: grader.template,
            args: grader.args,
            numbers: grader.numbers,
            address: grader.isBeside ? null : addressOf(grader.place, graderAddress, 'The environment of the verifier'),
          };
    const session = await HudSession.open(url);
    this.#starting = session;
    let capabilities: OpenCapabilities | null = null;
    try {
      const { prompt: turns, ...rest } = await untilAborted(
        session.start(template, args, numbers),
        startLimit(options),
      );
      const seen = readPrompt(turns);
      if (seen === null) {
        const message = `The template “${template}” yields no prompt first, so there is nothing for an agent to do.`;
        throw new EnvironmentError('start_failed', message);
      }
      capabilities = await openCapabilities(url, session.capabilities, task, this.#log);
      this.#broken = Promise.race(capabilities.lost);
      // Whoever waits for it has the error.
      this.#broken.catch(() => {});
      const tools = new AgentTools(capabilities.tools, this.#log);
      this.#task = { session, verifier, capabilities, tools, seen, response: null, isGraded: false };
      const { schema } = tools;
      const { surface } = capabilities;
      if (surface !== null) for (const live of this.#lives) live.stop = await surface.live(live.frame);
      const first = resultOf(this.#task, await surface?.observe());
      return {
        ...first,
        info: { ...first.info, ...(Object.keys(rest).length === 0 ? {} : { task_info: rest }) },
        goal: seen.text,
        ...warningOf([
          promptFault(turns),
          capabilities.unused,
          capabilities.commands?.isolated === false ? NOT_ISOLATED : null,
          place.kind === 'address' && session.holdsOneTask ? HOLDS_ONE_TASK : null,
          grader?.ignoresRuntime === true ? VERIFIER_BESIDE : null,
        ]),
        ...(schema === null ? {} : { actions: schema }),
        ...offersOf(capabilities),
      };
    } catch (error) {
      await Promise.all([session.close(), capabilities?.close()]);
      if (!(error instanceof Refused)) throw error;
      const message = `The template “${template}” could not be started: ${wordsOf(error)}`;
      throw new EnvironmentError('environment_failed', message, { cause: error });
    } finally {
      this.#starting = null;
    }
  }

  async observe(): Promise<StepResult> {
    const task = this.#current();
    return resultOf(task, await task.capabilities.surface?.observe());
  }

  async step(inputs: readonly ActionInput[], screen?: Screen): Promise<StepResult> {
    const task = this.#current();
    const { surface } = task.capabilities;
    const parts: StepResult[] = [];
    const { seen } = task;
    let shown: StepResult | undefined;
    for (const { inputs: some, place } of partsOf(inputs, surface !== null)) {
      shown = place === 'surface' ? await surface?.step(some, screen) : undefined;
      const part = shown ?? (await this.#carryOut(task, some, place));
      parts.push(part);
      task.response ??= part.info.response ?? null;
      if (part.error !== null || part.terminated || task.response !== null) break;
    }
    shown ??= await surface?.observe();
    return resultOf(task, shown, parts, task.seen === seen ? null : task.seen);
  }

  async pointed(point: Point | null): Promise<Pointed | null> {
    return (await this.#current().capabilities.surface?.pointed?.(point)) ?? null;
  }

  async live(frame: (picture: Picture) => void): Promise<() => Promise<void>> {
    const live = { frame, stop: (await this.#task?.capabilities.surface?.live(frame)) ?? null };
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
    const task = this.#current();
    if (task.isGraded) {
      const message = 'the task was graded already, and HUD grades a task once: run it again';
      return { error: { code: 'call_threw', message } };
    }
    task.isGraded = true;
    const answer = response ?? task.response;
    try {
      return task.verifier === null
        ? readGrade(await graded(task.session, answer, signal))
        : await verify(task.session, task.verifier, answer, signal, this.#log);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return { error: { code: 'call_threw', message: wordsOf(error) } };
    }
  }

  async close(): Promise<void> {
    const { session, capabilities } = this.#task ?? {};
    const starting = this.#starting;
    this.#task = null;
    this.#starting = null;
    this.#broken = new Promise(() => {});
    await Promise.all([capabilities?.close(), session?.close(), starting?.close()]);
  }

  /** Carries out what needs no surface. */
  async #carryOut(task: Started, inputs: readonly ActionInput[], place: Place): Promise<StepResult> {
    if (place === 'tools') return this.#useTools(task, inputs);
    const { commands } = task.capabilities;
    return place === 'commands' && commands !== null ? runCommands(task, commands, inputs) : notOffered(inputs, place);
  }

  /** Carries out calls of tools and responses. */
  async #useTools(task: Started, inputs: readonly ActionInput[]): Promise<StepResult> {
    const { acted, response, infeasible, error } = await stepObjects(inputs, {
      act: async (value) => {
        const { seen, error } = await task.tools.act(value);
        if (seen !== undefined) task.seen = seen;
        return error;
      },
      onActed: (_input, action) => {
        if (action?.type === 'response') task.response = action.text;
      },
      isOver: () => task.response !== null,
    });
    const info = { acted, ...(response === null ? {} : { response }) };
    return { observation: task.seen, reward: null, terminated: infeasible, info, error };
  }

  #current(): Started {
    if (this.#task === null) {
      throw new EnvironmentError('environment_failed', 'The environment has no task yet: reset it first.');
    }
    return this.#task;
  }
}

function offersOf({ surface, commands }: OpenCapabilities): Pick<StartResult, 'offers'> {
  const offers = [...(surface === null ? [] : [surface.offer]), ...(commands === null ? [] : (['commands'] as const))];
  return offers.length === 0 ? {} : { offers };
}

/** The address that a row names, or the one of the server that was started for it. */
function addressOf(place: HudPlace, started: string | undefined, what: string): string {
  const address = place.kind === 'address' ? place.url : started;
  if (address !== undefined) return address;
  throw new EnvironmentError('start_failed', `${what} was not started: it runs in Docker (--placement docker).`);
}

function warningOf(warnings: readonly (string | null)[]): Pick<StartResult, 'warning'> {
  const given = warnings.filter((one) => one !== null);
  return given.length === 0 ? {} : { warning: given.join('\n') };
}
