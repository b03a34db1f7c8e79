import type { Json } from '../../../base/json.ts';
import type { EnvironmentSpec } from '../../../tasks/task.ts';

/** The supported benchmarks: MiniWoB++, and OpenEnv's `custom` for user-defined tasks in code. */
export const RUN_BENCHMARKS = ['miniwob', 'custom'];

/** The benchmarks of BrowserGym 0.14 and OpenEnv's `custom`, supported ones first. */
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

/** Whether a task is one of BrowserGym's. */
export function isBrowserGym({ type }: EnvironmentSpec): boolean {
  return type === 'browsergym';
}

/** Whether a task is a user-defined class, found by its `task_name`. */
export function isCustomTask(spec: EnvironmentSpec): boolean {
  return isBrowserGym(spec) && spec['benchmark'] === 'custom';
}

/** The name of the class of a custom task; in OpenEnv's images that of a variable if the task has none. */
export function customTaskName(spec: EnvironmentSpec, env: NodeJS.ProcessEnv = process.env): Json | undefined {
  return spec['task_name'] ?? (env[TASK_NAME] || undefined);
}

/** The environment variable of OpenEnv's images for BrowserGym that names the task. */
export const TASK_NAME = 'BROWSERGYM_TASK_NAME';

/** Whether it is a benchmark of BrowserGym that is not supported. */
export function isOtherBenchmark(spec: EnvironmentSpec): boolean {
  const benchmark = String(spec['benchmark']);
  return isBrowserGym(spec) && !RUN_BENCHMARKS.includes(benchmark) && BENCHMARKS.includes(benchmark);
}
