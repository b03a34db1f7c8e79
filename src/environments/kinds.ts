import type { ActionDialect } from '../actions/normal.ts';
import type { EnvironmentKind } from '../functions/declaration.ts';
import type { EnvironmentSpec } from '../tasks/task.ts';

/** Types of environments that run here, and which of ours runs them. */
export const SUPPORTED: Readonly<Record<string, EnvironmentKind>> = {
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
export const KNOWN: Readonly<Record<string, readonly string[]>> = {
  desktop: ['image'],
  hud: ['name', 'template'],
  mcp: [],
};

/** Benchmarks of BrowserGym that run here: MiniWoB++, and OpenEnv's `custom`, a person's own tasks in code. */
export const RUN_BENCHMARKS = ['miniwob', 'custom'];

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
  return kindOfType(spec) === 'browser';
}

/** A task that is a class of a person's, found by its `task_name`. */
export function isCustomTask(spec: EnvironmentSpec): boolean {
  return spec.type === 'browsergym' && spec['benchmark'] === 'custom';
}

/**
 * Which of our environments a task's is by its type; null for none. Whether that has all that the task asks for, is for
 * `environmentKind` to say.
 */
export function kindOfType(spec: EnvironmentSpec): EnvironmentKind | null {
  return isOtherBenchmark(spec) || !Object.hasOwn(SUPPORTED, spec.type) ? null : (SUPPORTED[spec.type] ?? null);
}

/** Whether it is a benchmark of BrowserGym that does not run here. */
export function isOtherBenchmark(spec: EnvironmentSpec): boolean {
  const benchmark = String(spec['benchmark']);
  return spec.type === 'browsergym' && !RUN_BENCHMARKS.includes(benchmark) && BENCHMARKS.includes(benchmark);
}
