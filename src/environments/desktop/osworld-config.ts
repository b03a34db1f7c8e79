import { isList, isObject, type Json, type JsonObject, listOf, objectOf, textOf } from '../../base/json.ts';

type Command = string | readonly string[];

/** The steps of OSWorld's `config` that this desktop supports (OSWorld, `desktop_env/controllers/setup.py`). */
export type OsworldStep =
  | { readonly type: 'launch' | 'execute' | 'command'; readonly parameters: { readonly command: Command } }
  | { readonly type: 'open'; readonly parameters: { readonly path: string } }
  | { readonly type: 'activate_window'; readonly parameters: { readonly window_name: string } }
  | { readonly type: 'sleep'; readonly parameters: { readonly seconds: number } }
  | {
      readonly type: 'upload_file';
      readonly parameters: { readonly files: readonly { readonly local_path: string; readonly path: string }[] };
    };

/**
 * Validators of the parameters of each step. They do not use zod, which the extension would load at activation, because every
 * task is checked for support.
 */
const VALIDATORS: Readonly<Record<OsworldStep['type'], (parameters: JsonObject) => boolean>> = {
  launch: isCommand,
  execute: isCommand,
  command: isCommand,
  open: ({ path }) => textOf(path) !== null,
  activate_window: ({ window_name: name }) => textOf(name) !== null,
  sleep: ({ seconds }) => typeof seconds === 'number' && seconds >= 0 && seconds <= 600,
  upload_file: ({ files }) =>
    isList(files) &&
    files.every((file) => isObject(file) && textOf(file['local_path']) !== null && textOf(file['path']) !== null),
};

/** Reads OSWorld's `config` object: the setup steps, and a message for each unsupported one. */
export function readOsworld(config: Json | undefined): {
  readonly steps: readonly OsworldStep[];
  readonly missing: readonly string[];
} {
  const { config: setup, evaluator } = objectOf(config);
  const steps = listOf(setup);
  const missing = steps.filter((step) => !isStep(step)).map(unsupportedStep);
  if (isObject(evaluator)) {
    const names = [evaluator['func']].flat().filter((one) => typeof one === 'string');
    missing.push(`OSWorld's evaluator${names.length === 0 ? '' : ` ${names.join(', ')}`} (write it as "evaluate")`);
  }
  return { steps: steps.filter(isStep), missing: [...new Set(missing)] };
}

function isStep(step: Json): step is Json & OsworldStep {
  if (!isObject(step)) return false;
  const { type, parameters } = step;
  return isKnown(type) && isObject(parameters) && VALIDATORS[type](parameters);
}

function unsupportedStep(step: Json): string {
  const { type } = objectOf(step);
  if (type === 'download')
    return 'the step “download” (put the files next to the task, and list them in “upload_file”)';
  if (typeof type !== 'string') return 'a step without a type';
  return isKnown(type) ? `the parameters of the step “${type}”` : `the step “${type}”`;
}

function isKnown(type: Json | undefined): type is OsworldStep['type'] {
  return typeof type === 'string' && Object.hasOwn(VALIDATORS, type);
}

function isCommand({ command }: JsonObject): boolean {
  if (!isList(command)) return textOf(command) !== null;
  return command.length > 0 && command.every((word) => typeof word === 'string');
}

/** Converts a path of OSWorld's machine: relative to the home folder if it is in one. */
export function osworldPath(path: string): string {
  return path.replace(/^(?:\/home\/[^/]+|~)\//, '');
}
