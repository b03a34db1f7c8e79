import type { ActionInput } from '../../actions/action.ts';
import { normaliseAction } from '../../actions/normalise.ts';
import { printAction } from '../../actions/print.ts';
import { defined } from '../../base/defined.ts';
import { type Acted, type Observation, PLAIN_RESULT, type StepInfo, type StepResult } from '../environment.ts';
import { commandOutput, MAX_COMMAND_SECONDS, printCommand } from '../workspace/command-output.ts';
import type { Shell } from './shell.ts';

const MIXED = { dialect: 'mixed' } as const;

/** What carries out an action. */
export type Actor = 'tools' | 'surface' | 'commands';

/** Actions that need neither a surface nor a shell. */
const TOOL_ACTIONS: readonly string[] = ['object', 'response', 'infeasible'];
const SHELL_ACTIONS: readonly string[] = ['run', 'read_file', 'write_file', 'apply_patch'];

const NOT_OFFERED: Readonly<Record<'surface' | 'commands', string>> = {
  surface:
    'This environment offers no browser and no desktop, so there is no picture, page, mouse, or keyboard. Actions are calls of its tools, or response("…").',
  commands: 'This environment offers no shell. Actions are calls of its tools, or response("…").',
};

/** The state of a task besides its surface. */
interface TaskState {
  /** The prompt, or the result of the last tool or command. */
  toolObservation: Observation;
  readonly response: string | null;
}

/** Groups consecutive actions with the same actor. */
export function partsOf(
  inputs: readonly ActionInput[],
  hasSurface: boolean,
): readonly { readonly inputs: readonly ActionInput[]; readonly actor: Actor }[] {
  const parts: { readonly inputs: ActionInput[]; readonly actor: Actor }[] = [];
  for (const input of inputs) {
    const actor = actorOf(input, hasSurface);
    const last = parts.at(-1);
    if (last?.actor === actor) last.inputs.push(input);
    else parts.push({ inputs: [input], actor });
  }
  return parts;
}

function actorOf(input: ActionInput, hasSurface: boolean): Actor {
  const types = normaliseAction(input, MIXED).actions.map(({ type }) => type);
  // For an input that cannot be read, the surface reports the reason.
  if (types.length === 0) return hasSurface ? 'surface' : 'tools';
  if (types.some((type) => SHELL_ACTIONS.includes(type))) return 'commands';
  return types.every((type) => TOOL_ACTIONS.includes(type)) ? 'tools' : 'surface';
}

/** Runs commands in order, until an action fails or is a response. */
export async function runCommands(
  task: TaskState,
  commands: Shell,
  inputs: readonly ActionInput[],
): Promise<StepResult> {
  const acted: Acted[] = [];
  const outputs: NonNullable<StepInfo['outputs']>[number][] = [];
  const texts: string[] = [];
  let response: string | null = null;
  let error: StepResult['error'] = null;
  for (const action of inputs.flatMap((input) => normaliseAction(input, MIXED).actions)) {
    const actionText = printAction(action);
    acted.push({ action: actionText });
    if (action.type === 'response') response = action.text;
    else if (action.type === 'run') {
      const seconds = Math.min(action.timeout, MAX_COMMAND_SECONDS);
      const start = performance.now();
      const result = await commands.run(action.command, seconds * 1000);
      outputs.push(commandOutput(action.command, result, performance.now() - start));
      texts.push(printCommand(action.command, result, seconds));
    } else {
      const message = `\`${actionText}\` is nothing that the shell of this environment does: run commands with run("…"), in an action of their own.`;
      error = { code: 'unknown_action', message };
    }
    if (error !== null || response !== null) break;
  }
  if (texts.length > 0) {
    task.toolObservation = { ...task.toolObservation, text: texts.join('\n\n'), screenshot: null };
  }
  const info = { acted, ...(outputs.length > 0 ? { outputs } : {}), ...(response === null ? {} : { response }) };
  return { ...PLAIN_RESULT, observation: task.toolObservation, info, error };
}

/** The result of actions whose actor the environment lacks. */
export function notOffered(inputs: readonly ActionInput[], actor: 'surface' | 'commands'): StepResult {
  const [first] = inputs.flatMap((input) => normaliseAction(input, MIXED).actions);
  return {
    ...PLAIN_RESULT,
    observation: { text: null, screenshot: null },
    info: { acted: first === undefined ? [] : [{ action: printAction(first) }] },
    error: { code: 'unknown_action', message: NOT_OFFERED[actor] },
  };
}

/**
 * The result of a step. `surfaceResult`: the result of the surface, if there is one; `parts`: the results of the parts of the
 * step; `newObservation`: the result of the last tool in it.
 */
export function resultOf(
  { toolObservation, response }: TaskState,
  surfaceResult: StepResult | undefined,
  parts: readonly StepResult[] = [],
  newObservation: Observation | null = null,
): StepResult {
  const acted = parts.flatMap(({ info }) => info.acted ?? []);
  const messages = [...parts.filter((part) => part !== surfaceResult), surfaceResult].flatMap(
    (part) => part?.info.messages ?? [],
  );
  const outputs = parts.flatMap(({ info }) => info.outputs ?? []);
  const secrets = parts.flatMap((part) => part.secrets ?? []);
  const info: StepInfo = {
    ...surfaceResult?.info,
    ...(acted.length > 0 ? { acted } : {}),
    ...(messages.length > 0 ? { messages } : {}),
    ...(outputs.length > 0 ? { outputs } : {}),
    ...(response === null || parts.length === 0 ? {} : { response }),
  };
  return {
    ...PLAIN_RESULT,
    observation:
      surfaceResult === undefined
        ? toolObservation
        : { ...toolObservation, ...combine(newObservation, surfaceResult.observation) },
    terminated: response !== null || parts.some(({ terminated }) => terminated),
    info,
    error: parts.findLast(({ error }) => error !== null)?.error ?? null,
    ...(secrets.length > 0 ? { secrets } : {}),
  };
}

/** The result of a tool, followed by the observation of the surface. */
function combine(tool: Observation | null, surface: Observation): Pick<Observation, 'text' | 'screenshot' | 'dialog'> {
  const texts = [tool?.text ?? null, surface.text].filter((text) => text !== null);
  return {
    text: texts.length === 0 ? null : texts.join('\n\n'),
    screenshot: tool?.screenshot ?? surface.screenshot,
    ...defined({ dialog: surface.dialog }),
  };
}
