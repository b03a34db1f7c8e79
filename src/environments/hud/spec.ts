import { defined } from '../../base/defined.ts';
import { type Json, type JsonObject, objectOf, textOf } from '../../base/json.ts';
import { timeLimitOf } from '../../base/time-limit.ts';
import type { NumberTexts } from '../../python/numbers.ts';
import type { EnvironmentSpec } from '../../tasks/task.ts';
import type { HudServing } from '../kind.ts';

/** The source of an environment, which serves its control channel. */
export type HudPlace =
  /** The address of a running one: `tcp://127.0.0.1:8765`. */
  | { readonly kind: 'address'; readonly url: string }
  /** The name of an image that serves it. */
  | { readonly kind: 'image'; readonly image: string }
  /** The path of a Compose file whose service `main` serves it, relative to the folder of the task file. */
  | { readonly kind: 'compose'; readonly document: string }
  /** The name of an environment in Python next to the task file. */
  | { readonly kind: 'source'; readonly name: string };

/** The environment and the template of a row of HUD 0.6. */
export interface HudSpec extends HudTemplateSpec {
  /** The template that grades the task; null if its own template does. */
  readonly verifier: HudVerifier | null;
}

interface HudTemplateSpec extends HudServing {
  readonly place: HudPlace;
  readonly template: string;
  readonly args: JsonObject;
  /** How numbers in `{args}` are written. */
  readonly numbers: NumberTexts;
}

export interface HudVerifier extends HudTemplateSpec {
  /** It runs in the environment of the task. */
  readonly isBeside: boolean;
  /** It has a `runtime_config`, which has no effect. */
  readonly ignoresRuntime: boolean;
}

/** For an exception without a text: HUD sends the text of an exception, but not its type. */
export const NO_MESSAGE = 'its code raised an exception without a message';
/** The default time limit for the start. Environments may load models first. */
const START_SECONDS = 120;

/** Reads the environment of a row that has no errors. Does not access the disk or the network. */
export function readHud(env: EnvironmentSpec): HudSpec {
  const task = readTemplate(env, env['name'], env['template']);
  const verifier = objectOf(env['verifier']);
  if (verifier['env'] === undefined) return { ...task, verifier: null };
  const isBeside = verifier['env'] === env['name'];
  const ignoresRuntime = isBeside && (verifier['runtime_config'] ?? null) !== null;
  return {
    ...task,
    verifier: { ...readTemplate(verifier, verifier['env'], verifier['id']), isBeside, ignoresRuntime },
  };
}

function readTemplate(
  { args, numbers, runtime_config: runtime }: JsonObject,
  name: Json | undefined,
  template: Json | undefined,
): HudTemplateSpec {
  const { image, compose, limits, resources } = objectOf(runtime);
  const { cpu, memory_mb: memory } = objectOf(resources);
  return {
    place: placeOf(String(name ?? ''), image, objectOf(compose)['document']),
    template: String(template ?? ''),
    args: objectOf(args),
    numbers: objectOf(numbers) as NumberTexts,
    startMs: timeLimitOf(positive(objectOf(limits)['startup_timeout_s']) ?? START_SECONDS),
    resources: defined({ cpus: positive(cpu), memory: positive(memory) }),
  };
}

/** Why an environment of HUD does not run, as a sentence; null if it does. */
export function whyNotRun(env: EnvironmentSpec): string | null {
  const { name, template, runtime_config: runtime, verifier } = env;
  const row = [name, template].join(', ');
  for (const config of [runtime, objectOf(verifier)['runtime_config']]) {
    const { document, service_access: access } = objectOf(objectOf(config)['compose']);
    if ((document ?? null) !== null && typeof document !== 'string') {
      return `Compose projects run from a file, and this row has its content: write its path as "document" (${row})`;
    }
    if (access === true) {
      return `Taskwright gives no environment access to Docker, which "service_access" asks for (${row})`;
    }
  }
  return null;
}

function placeOf(name: string, image: Json | undefined, document: Json | undefined): HudPlace {
  if (/^tcp:\/\//i.test(name)) return { kind: 'address', url: name };
  const [imageName, composeFile] = [textOf(image), textOf(document)];
  if (imageName !== null) return { kind: 'image', image: imageName };
  return composeFile === null ? { kind: 'source', name } : { kind: 'compose', document: composeFile };
}

/** A positive number, which may be written as a text, as HUD reads it. */
function positive(value: Json | undefined): number | undefined {
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && number > 0 ? number : undefined;
}
