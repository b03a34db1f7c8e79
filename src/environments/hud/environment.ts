import type { ActionInput, Point, Screen } from '../../actions/action.ts';
import { normaliseAction } from '../../actions/normalise.ts';
import { printAction } from '../../actions/print.ts';
import type { CallResult, Phase } from '../../functions/declaration.ts';
import type { Call, Json } from '../../tasks/task.ts';
import { shownResult } from '../coding/act.ts';
import {
  type Acted,
  type Environment,
  EnvironmentError,
  type Observation,
  type Picture,
  type Pointed,
  type ResetOptions,
  type StartResult,
  type StepInfo,
  type StepResult,
} from '../environment.ts';
import { AgentTools } from '../mcp/agent-tools.ts';
import { stepObjects } from '../step-objects.ts';
import { type OpenCapabilities, openCapabilities } from './capabilities.ts';
import { Refused } from './channel.ts';
import { hasScore, readGrade } from './grade.ts';
import { NO_MESSAGE } from './no-message.ts';
import { readPrompt } from './prompt.ts';
import { HudSession } from './session.ts';
import type { Shell } from './shell.ts';
import { type HudPlace, type HudVerifier, readHud } from './spec.ts';

const MIXED = { dialect: 'mixed' } as const;

/** What carries out an action. */
type Place = 'tools' | 'surface' | 'commands';

/** Actions that need neither a surface nor a shell. */
const WITHOUT_PLACE: ReadonlySet<string> = new Set(['object', 'response', 'infeasible']);
const OF_SHELL: ReadonlySet<string> = new Set(['run', 'read_file', 'write_file', 'apply_patch']);

const NOT_OFFERED: Readonly<Record<'surface' | 'commands', string>> = {
  surface:
    'This environment offers no browser and no desktop, so there is no picture, page, mouse, or keyboard. Actions are calls of its tools, or response("…").',
  commands: 'This environment offers no shell. Actions are calls of its tools, or response("…").',
};

const NOT_ISOLATED =
  'HUD does not isolate the shell of this environment: commands of agents have the permissions of the environment, and can read its code. HUD isolates them where bubblewrap is installed.';

/** The longest time limit of a command of an agent, in seconds. */
const MAX_SECONDS = 3_600;

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

/** The template that grades a task instead of its own. */
interface Verifier extends Pick<HudVerifier, 'template' | 'args' | 'numbers'> {
  /** Null: it runs in the session of the task. */
  readonly address: string | null;
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

  async reset({ task, address, verifier: graderAddress }: ResetOptions): Promise<StartResult> {
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
      const { prompt: turns, ...rest } = await session.start(template, args, numbers);
      const seen = readPrompt(turns);
      if (seen === null) {
        const message = `The template “${template}” yields no prompt first, so there is nothing for an agent to do.`;
        throw new EnvironmentError('start_failed', message);
      }
      capabilities = await openCapabilities(url, session.bindings, task, this.#log);
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
    for (const { inputs: some, place } of runsOf(inputs, surface !== null)) {
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
        : await this.#verify(task.session, task.verifier, answer, signal);
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

  /** As HUD: the task is graded first, whatever comes of it, and its grade is the answer that the verifier grades. */
  async #verify(
    session: HudSession,
    { template, args, numbers, address }: Verifier,
    answer: string | null,
    signal: AbortSignal,
  ): Promise<CallResult> {
    const frame = await graded(session, answer, signal).catch((error: unknown) => {
      if (error instanceof Refused && !signal.aborted) return failedGrade(answer, wordsOf(error));
      throw error;
    });
    const verdict = readGrade(frame);
    const why = 'error' in verdict ? verdict.error.message : null;
    if (why !== null) this.#log(`The verifier grades a task that has no grade: ${why}`);
    const grade = why === null || hasScore(frame) ? frame : failedGrade(answer, why);
    const verifier = address === null ? session : await HudSession.open(address);
    try {
      await verifier.start(template, args, numbers).catch((refused: unknown) => {
        if (!(refused instanceof Refused)) throw refused;
        throw new Refused(refused.code, `the verifier “${template}” could not be started: ${wordsOf(refused)}`);
      });
      return readGrade(await graded(verifier, grade, signal));
    } finally {
      if (verifier !== session) await verifier.close();
    }
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

async function graded(session: HudSession, answer: Json, signal: AbortSignal): Promise<Json> {
  // The grade itself fails if the connection is lost.
  const cancel = (): void => void session.cancel().catch(() => undefined);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await session.grade(answer);
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** What HUD tells a verifier of a task that could not be graded. */
function failedGrade(answer: string | null, content: string): Json {
  return { score: 0, answer, content, isError: true };
}

function warningOf(warnings: readonly (string | null)[]): Pick<StartResult, 'warning'> {
  const given = warnings.filter((one) => one !== null);
  return given.length === 0 ? {} : { warning: given.join('\n') };
}

/** Consecutive actions that the same place carries out. */
function runsOf(
  inputs: readonly ActionInput[],
  hasSurface: boolean,
): readonly { readonly inputs: readonly ActionInput[]; readonly place: Place }[] {
  const runs: { readonly inputs: ActionInput[]; readonly place: Place }[] = [];
  for (const input of inputs) {
    const place = placeOf(input, hasSurface);
    const last = runs.at(-1);
    if (last?.place === place) last.inputs.push(input);
    else runs.push({ inputs: [input], place });
  }
  return runs;
}

function placeOf(input: ActionInput, hasSurface: boolean): Place {
  const types = normaliseAction(input, MIXED).actions.map(({ type }) => type);
  // A surface says what is wrong with an input that is no action.
  if (types.length === 0) return hasSurface ? 'surface' : 'tools';
  if (types.some((type) => OF_SHELL.has(type))) return 'commands';
  return types.every((type) => WITHOUT_PLACE.has(type)) ? 'tools' : 'surface';
}

/** Runs commands in order, until an action fails or is a response. */
async function runCommands(task: Started, runner: Shell, inputs: readonly ActionInput[]): Promise<StepResult> {
  const acted: Acted[] = [];
  const outputs: NonNullable<StepInfo['outputs']>[number][] = [];
  const texts: string[] = [];
  let response: string | null = null;
  let error: StepResult['error'] = null;
  for (const action of inputs.flatMap((input) => normaliseAction(input, MIXED).actions)) {
    const printed = printAction(action);
    acted.push({ action: printed });
    if (action.type === 'response') response = action.text;
    else if (action.type === 'run') {
      const seconds = Math.min(action.timeout, MAX_SECONDS);
      const started = performance.now();
      const result = await runner.run(action.command, seconds * 1000);
      outputs.push({
        command: action.command,
        output: result.output,
        exit_code: result.exitCode,
        ...(result.timedOut ? { timed_out: true } : {}),
        duration_ms: Math.round(performance.now() - started),
      });
      texts.push(shownResult(action.command, result, seconds));
    } else {
      const message = `\`${printed}\` is nothing that the shell of this environment does: run commands with run("…"), in an action of their own.`;
      error = { code: 'unknown_action', message };
    }
    if (error !== null || response !== null) break;
  }
  if (texts.length > 0) task.seen = { ...task.seen, text: texts.join('\n\n'), screenshot: null };
  const info = { acted, ...(outputs.length > 0 ? { outputs } : {}), ...(response === null ? {} : { response }) };
  return { observation: task.seen, reward: null, terminated: false, info, error };
}

/** Actions for which there is nothing to act on. */
function notOffered(inputs: readonly ActionInput[], place: 'surface' | 'commands'): StepResult {
  const [first] = inputs.flatMap((input) => normaliseAction(input, MIXED).actions);
  return {
    observation: { text: null, screenshot: null },
    reward: null,
    terminated: false,
    info: { acted: first === undefined ? [] : [{ action: printAction(first) }] },
    error: { code: 'unknown_action', message: NOT_OFFERED[place] },
  };
}

/**
 * The result of a step. `shown`: what the surface gives, if there is one; `parts`: the results of the parts of the step;
 * `told`: what the last tool gave in it.
 */
function resultOf(
  { seen, response }: Started,
  shown: StepResult | undefined,
  parts: readonly StepResult[] = [],
  told: Observation | null = null,
): StepResult {
  const acted = parts.flatMap(({ info }) => info.acted ?? []);
  const messages = [...parts.filter((part) => part !== shown), ...(shown === undefined ? [] : [shown])].flatMap(
    ({ info }) => info.messages ?? [],
  );
  const outputs = parts.flatMap(({ info }) => info.outputs ?? []);
  const secrets = parts.flatMap((part) => part.secrets ?? []);
  const info: StepInfo = {
    ...shown?.info,
    ...(acted.length > 0 ? { acted } : {}),
    ...(messages.length > 0 ? { messages } : {}),
    ...(outputs.length > 0 ? { outputs } : {}),
    ...(response === null || parts.length === 0 ? {} : { response }),
  };
  return {
    observation: shown === undefined ? seen : { ...seen, ...joined(told, shown.observation) },
    reward: null,
    terminated: response !== null || parts.some(({ terminated }) => terminated),
    info,
    error: parts.findLast(({ error }) => error !== null)?.error ?? null,
    ...(secrets.length > 0 ? { secrets } : {}),
  };
}

/** What agents see of a surface, after what a tool told. */
function joined(told: Observation | null, shown: Observation): Pick<Observation, 'text' | 'screenshot'> {
  const texts = [told?.text ?? null, shown.text].filter((text) => text !== null);
  return {
    text: texts.length === 0 ? null : texts.join('\n\n'),
    screenshot: told?.screenshot ?? shown.screenshot,
  };
}

function wordsOf({ message }: Refused): string {
  return message === '' ? NO_MESSAGE : message;
}
