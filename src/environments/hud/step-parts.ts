import type { ActionInput } from '../../actions/action.ts';
import { normaliseAction } from '../../actions/normalise.ts';
import { printAction } from '../../actions/print.ts';
import type { Acted, Observation, StepInfo, StepResult } from '../environment.ts';
import { shownResult } from '../workspace/shown-result.ts';
import type { Shell } from './shell.ts';

const MIXED = { dialect: 'mixed' } as const;

/** What carries out an action. */
export type Place = 'tools' | 'surface' | 'commands';

/** Actions that need neither a surface nor a shell. */
const WITHOUT_PLACE: ReadonlySet<string> = new Set(['object', 'response', 'infeasible']);
const OF_SHELL: ReadonlySet<string> = new Set(['run', 'read_file', 'write_file', 'apply_patch']);

const NOT_OFFERED: Readonly<Record<'surface' | 'commands', string>> = {
  surface:
    'This environment offers no browser and no desktop, so there is no picture, page, mouse, or keyboard. Actions are calls of its tools, or response("…").',
  commands: 'This environment offers no shell. Actions are calls of its tools, or response("…").',
};

/** The longest time limit of a command of an agent, in seconds. */
const MAX_SECONDS = 3_600;

/** What agents see of a task besides its surface, and their response. */
interface Seen {
  /** What the prompt or the last tool gave. */
  seen: Observation;
  readonly response: string | null;
}

/** Consecutive actions that the same place carries out. */
export function partsOf(
  inputs: readonly ActionInput[],
  hasSurface: boolean,
): readonly { readonly inputs: readonly ActionInput[]; readonly place: Place }[] {
  const parts: { readonly inputs: ActionInput[]; readonly place: Place }[] = [];
  for (const input of inputs) {
    const place = placeOf(input, hasSurface);
    const last = parts.at(-1);
    if (last?.place === place) last.inputs.push(input);
    else parts.push({ inputs: [input], place });
  }
  return parts;
}

function placeOf(input: ActionInput, hasSurface: boolean): Place {
  const types = normaliseAction(input, MIXED).actions.map(({ type }) => type);
  // A surface says what is wrong with an input that is no action.
  if (types.length === 0) return hasSurface ? 'surface' : 'tools';
  if (types.some((type) => OF_SHELL.has(type))) return 'commands';
  return types.every((type) => WITHOUT_PLACE.has(type)) ? 'tools' : 'surface';
}

/** Runs commands in order, until an action fails or is a response. */
export async function runCommands(task: Seen, runner: Shell, inputs: readonly ActionInput[]): Promise<StepResult> {
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
export function notOffered(inputs: readonly ActionInput[], place: 'surface' | 'commands'): StepResult {
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
export function resultOf(
  { seen, response }: Seen,
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
