import type { ActionDialect } from '../actions/normal.ts';
import type { EnvironmentKind } from '../functions/declaration.ts';
import { list } from '../functions/words.ts';
import type { EnvironmentSpec } from '../tasks/task.ts';
import { readOsworld } from './osworld.ts';

const SUPPORTED: Readonly<Record<string, EnvironmentKind>> = {
  'hud-browser': 'browser',
  qa: 'qa',
  browsergym: 'browser',
  coding: 'coding',
  'hud-ubuntu': 'desktop',
  'OSWorld-Ubuntu': 'desktop',
  public: 'custom',
  docker: 'custom',
};

/** Environments that exist elsewhere or come later, and the keys that tell one from another. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  desktop: ['image'],
  hud: ['name', 'template'],
  mcp: [],
};

/** Benchmarks of BrowserGym that run here: MiniWoB++, and OpenEnv's `custom`, a person's own tasks in code. */
const RUN_BENCHMARKS = ['miniwob', 'custom'];

/** Benchmarks of BrowserGym 0.14 and OpenEnv's `custom`, those that run here first. */
export const BENCHMARKS: readonly string[] = [
  ...RUN_BENCHMARKS,
  'assistantbench',
  'timewarp',
  'visualwebarena',
  'weblinx',
  'webarena',
  'webarena_verified',
  'webarenalite',
  'workarena',
];

/** All types of environments that this version knows of, those that it runs first. */
export const environmentTypes: readonly string[] = [...Object.keys(SUPPORTED), ...Object.keys(KNOWN)];

/** Environments that give the agent a goal where the task has no prompt. */
export function givesGoal(spec: EnvironmentSpec): boolean {
  return spec.type === 'browsergym';
}

/** How the action strings of a task are read: those of BrowserGym's own benchmarks as BrowserGym reads them. */
export function actionDialect(spec: EnvironmentSpec): ActionDialect {
  return { dialect: spec.type === 'browsergym' && !isCustomTask(spec) ? 'browsergym' : 'own' };
}

/** Whether the environment is, or needs, a browser of ours. */
export function wantsBrowser(spec: EnvironmentSpec): boolean {
  const answer = environmentKind(spec);
  return 'kind' in answer && answer.kind === 'browser';
}

/** A task that is a class of a person's, found by its `task_name`. */
export function isCustomTask(spec: EnvironmentSpec): boolean {
  return spec.type === 'browsergym' && spec['benchmark'] === 'custom';
}

/** Which of our environments runs a task, or a sentence that says why none does. */
export function environmentKind(
  spec: EnvironmentSpec,
): { readonly kind: EnvironmentKind } | { readonly unsupported: string; readonly known: boolean } {
  const kind = Object.hasOwn(SUPPORTED, spec.type) ? SUPPORTED[spec.type] : undefined;
  const benchmark = String(spec['benchmark']);
  if (spec.type === 'browsergym' && !RUN_BENCHMARKS.includes(benchmark) && BENCHMARKS.includes(benchmark)) {
    const unsupported = `This version of Taskwright does not run BrowserGym's benchmark “${benchmark}” yet; it runs “miniwob” and “custom”`;
    return { known: true, unsupported };
  }
  const { missing } = kind === 'desktop' ? readOsworld(spec['config']) : { missing: [] };
  if (missing.length > 0) {
    const unsupported = `This version of Taskwright has a desktop for this task, but not what its "config" asks for: ${list(missing)}`;
    return { known: true, unsupported };
  }
  if (kind !== undefined) return { kind };
  const known = Object.hasOwn(KNOWN, spec.type);
  const named = (known ? (KNOWN[spec.type] ?? []) : ['image', 'name'])
    .map((key) => spec[key])
    .filter((value) => typeof value === 'string' && value !== '')
    .join(', ');
  const what = `“${spec.type}”${named === '' ? '' : ` (${named})`}`;
  const runs = `it runs ${list(Object.keys(SUPPORTED))}`;
  return known
    ? { known, unsupported: `This version of Taskwright does not run environments of type ${what} yet; ${runs}` }
    : {
        known,
        unsupported: `There is no environment of type ${what}; Taskwright knows ${environmentTypes.join(', ')}`,
      };
}
