import { isObject, type Json, type JsonObject } from '../../base/json.ts';

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
 * Validators of the parameters of each step. By hand and not with zod, which the extension would have to load at activation:
 * whether a task is supported is asked of every task.
 */
const VALIDATORS: Readonly<Record<OsworldStep['type'], (parameters: JsonObject) => boolean>> = {
  launch: isCommand,
  execute: isCommand,
  command: isCommand,
  open: ({ path }) => isText(path),
  activate_window: ({ window_name: name }) => isText(name),
  sleep: ({ seconds }) => typeof seconds === 'number' && seconds >= 0 && seconds <= 600,
  upload_file: ({ files }) =>
    Array.isArray(files) && files.every((file) => isObject(file) && isText(file['local_path']) && isText(file['path'])),
};

/** Reads OSWorld's `config` object: the setup steps, and a message for each unsupported one. */
export function readOsworld(config: Json | undefined): {
  readonly steps: readonly OsworldStep[];
  readonly missing: readonly string[];
} {
  if (!isObject(config)) return { steps: [], missing: [] };
  const { config: listed, evaluator } = config;
  const steps: OsworldStep[] = [];
  const missing: string[] = [];
  for (const step of Array.isArray(listed) ? listed : []) {
    if (isStep(step)) steps.push(step);
    else missing.push(whyNot(step));
  }
  if (isObject(evaluator)) {
    const named = [evaluator['func']].flat().filter((one) => typeof one === 'string');
    missing.push(`OSWorld's evaluator${named.length === 0 ? '' : ` ${named.join(', ')}`} (write it as "evaluate")`);
  }
  return { steps, missing: [...new Set(missing)] };
}

function isStep(step: Json): step is Json & OsworldStep {
  if (!isObject(step)) return false;
  const { type, parameters } = step;
  return isKnown(type) && isObject(parameters) && VALIDATORS[type](parameters);
}

function whyNot(step: Json): string {
  const type = isObject(step) ? step['type'] : null;
  if (type === 'download')
    return 'the step “download” (put the files next to the task, and list them in “upload_file”)';
  if (typeof type !== 'string') return 'a step without a type';
  return isKnown(type) ? `the parameters of the step “${type}”` : `the step “${type}”`;
}

function isKnown(type: Json | undefined): type is OsworldStep['type'] {
  return typeof type === 'string' && Object.hasOwn(VALIDATORS, type);
}

function isCommand({ command }: JsonObject): boolean {
  return (
    isText(command) ||
    (Array.isArray(command) && command.length > 0 && command.every((word) => typeof word === 'string'))
  );
}

function isText(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== '';
}

/** Converts a path of OSWorld's machine: relative to the home folder if it is in one. */
export function osworldPath(path: string): string {
  return path.replace(/^(?:\/home\/[^/]+|~)\//, '');
}
