import { EXACT_INTEGERS, integersOutOfRange } from '../../actions/exact-integers.ts';
import { isObject, type Json, type JsonObject } from '../../base/json.ts';
import { timeLimitOf } from '../../base/time-limit.ts';
import type { EnvironmentSpec } from '../../tasks/task.ts';
import { type SpecProblem, surplusKey } from '../spec-problems.ts';

/** The source of an OpenEnv environment. */
export type OpenEnvPlace =
  /** The address of its server. */
  | { readonly kind: 'url'; readonly url: string }
  /** The name of an image that serves it. */
  | { readonly kind: 'image'; readonly image: string }
  /** A folder with `openenv.yaml`, relative to the task file, and the Python that serves it, if one is named. */
  | { readonly kind: 'folder'; readonly folder: string; readonly python: string | null };

export interface OpenEnvSpec {
  readonly place: OpenEnvPlace;
  /** Arguments of the environment's `reset`. */
  readonly reset: JsonObject;
  /** The environment's task: its id, or an object. */
  readonly task: Json | undefined;
  /** Time limit for an answer of the environment, in ms. */
  readonly answerMs: number;
}

const PLACES = ['url', 'image', 'folder'] as const;
/** The default of OpenEnv's own Python client. */
const ANSWER_SECONDS = 60;
const PROTOCOLS: ReadonlySet<string> = new Set(['http:', 'https:', 'ws:', 'wss:']);

/** Reads an `openenv` environment, or what is wrong with it. Does not access the disk or the network. */
export function readOpenEnv(env: EnvironmentSpec): OpenEnvSpec | { readonly problems: readonly SpecProblem[] } {
  const problems: SpecProblem[] = [];
  const place = readPlace(env, problems);
  const reset = env['reset'] ?? {};
  const task = env['task'] ?? undefined;
  const timeout = env['timeout'] ?? ANSWER_SECONDS;
  if (!isObject(reset)) {
    problems.push({ path: ['reset'], message: '"reset" is an object with arguments of the environment\'s reset' });
  } else {
    checkReset(reset, problems);
    if (task !== undefined && reset['task'] !== undefined) {
      problems.push(surplusKey(['reset', 'task'], '"task" is set here and in "reset": keep one of them'));
    }
  }
  if (task !== undefined && !isObject(task) && (typeof task !== 'string' || task === '')) {
    problems.push({ path: ['task'], message: '"task" is the id of a task of the environment, or an object' });
  }
  for (const path of integersOutOfRange({ reset, task: task ?? null }))
    problems.push({ path, message: EXACT_INTEGERS });
  if (typeof timeout !== 'number' || !(timeout > 0)) {
    problems.push({ path: ['timeout'], message: '"timeout" is a number of seconds greater than 0' });
  }
  if (place === null || problems.length > 0) return { problems };
  return { place, reset: reset as JsonObject, task, answerMs: timeLimitOf(timeout as number) };
}

function readPlace(env: EnvironmentSpec, problems: SpecProblem[]): OpenEnvPlace | null {
  const python = env['python'] ?? undefined;
  const [first, second] = PLACES.filter((key) => env[key] !== undefined && env[key] !== null);
  if (first === undefined) {
    problems.push({ path: [], message: 'An OpenEnv environment needs one of "url", "image", and "folder"' });
    return null;
  }
  if (second !== undefined) {
    problems.push(surplusKey([second], `"${first}" and "${second}" both name the environment: keep one of them`));
    return null;
  }
  if (python !== undefined && first !== 'folder') {
    const message = '"python" is the interpreter for the environment in "folder", and there is none';
    problems.push(surplusKey(['python'], message));
  } else if (python !== undefined && (typeof python !== 'string' || python === '')) {
    problems.push({ path: ['python'], message: '"python" is the path of a Python interpreter' });
  }
  const value = env[first];
  if (typeof value !== 'string' || value === '') {
    problems.push({ path: [first], message: DESCRIPTIONS[first] });
    return null;
  }
  if (first === 'image') return { kind: 'image', image: value };
  if (first === 'folder') return { kind: 'folder', folder: value, python: typeof python === 'string' ? python : null };
  if (!URL.canParse(value) || !PROTOCOLS.has(new URL(value).protocol)) {
    problems.push({ path: ['url'], message: `${DESCRIPTIONS.url}; “${value}” is not one` });
    return null;
  }
  return { kind: 'url', url: value };
}

const DESCRIPTIONS: Readonly<Record<(typeof PLACES)[number], string>> = {
  url: '"url" is the address of an OpenEnv server, such as http://localhost:8000',
  image: '"image" is the name of an image that serves OpenEnv on port 8000',
  folder: '"folder" is the path of an environment with an openenv.yaml, relative to the task file',
};

/** Checks the two arguments that every environment has. The server checks them only over HTTP. */
function checkReset({ seed, episode_id }: JsonObject, problems: SpecProblem[]): void {
  if (seed !== undefined && seed !== null && !(Number.isInteger(seed) && Number(seed) >= 0)) {
    problems.push({ path: ['reset', 'seed'], message: '"seed" is a whole number from 0' });
  }
  if (episode_id !== undefined && episode_id !== null && (typeof episode_id !== 'string' || episode_id.length > 255)) {
    problems.push({ path: ['reset', 'episode_id'], message: '"episode_id" is a text of at most 255 characters' });
  }
}
