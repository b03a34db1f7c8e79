import type { NumberTexts } from '../../tasks/number-texts.ts';
import type { EnvironmentSpec, Json } from '../../tasks/task.ts';

/** Where the control channel of an environment is. */
export type HudPlace =
  /** The address of a running one: `tcp://127.0.0.1:8765`. */
  | { readonly kind: 'address'; readonly url: string }
  /** The name of an image that serves it. */
  | { readonly kind: 'image'; readonly image: string }
  /** The name of an environment in Python next to the task file. */
  | { readonly kind: 'source'; readonly name: string };

/** The environment and the template of a row of HUD 0.6. */
export interface HudSpec {
  readonly place: HudPlace;
  readonly template: string;
  readonly args: Readonly<Record<string, Json>>;
  /** How numbers in `{args}` are written. */
  readonly numbers: NumberTexts;
  /** Time limit for the start of its server, in ms. */
  readonly startMs: number;
}

/** Environments may load models first. */
const START_SECONDS = 120;

/** Reads the environment of a row that has no errors. Does not access the disk or the network. */
export function readHud(env: EnvironmentSpec): HudSpec {
  const { name, template, args, numbers, runtime_config: runtime } = env;
  const { image, limits } = objectOf(runtime);
  const seconds = objectOf(limits)['startup_timeout_s'];
  return {
    place: placeOf(String(name ?? ''), image),
    template: String(template ?? ''),
    args: objectOf(args),
    numbers: objectOf(numbers) as NumberTexts,
    startMs: (typeof seconds === 'number' && seconds > 0 ? seconds : START_SECONDS) * 1000,
  };
}

/** Why an environment of HUD does not run, as a sentence; null if it does. */
export function whyNotRun(env: EnvironmentSpec): string | null {
  const { name, template, runtime_config: runtime, verifier } = env;
  const named = [name, template].join(', ');
  const { image, compose } = objectOf(runtime);
  if ((compose ?? null) !== null) {
    return `This version of Taskwright does not run HUD environments that are Compose projects yet (${named})`;
  }
  if ((image ?? null) !== null) {
    return `This version of Taskwright does not run HUD environments that are images yet (${named})`;
  }
  if ((verifier ?? null) !== null) {
    return `This version of Taskwright does not run tasks with a "verifier" yet (${named})`;
  }
  return null;
}

function placeOf(name: string, image: Json | undefined): HudPlace {
  if (/^tcp:\/\//i.test(name)) return { kind: 'address', url: name };
  if (typeof image === 'string' && image !== '') return { kind: 'image', image };
  return { kind: 'source', name };
}

function objectOf(value: Json | undefined): Readonly<Record<string, Json>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, Json>>)
    : {};
}
