import type { EnvironmentSpec } from '../../../tasks/task.ts';

/** Benchmarks of BrowserGym that run here: MiniWoB++, and OpenEnv's `custom`, which are user-defined tasks in code. */
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

/** Whether a task is one of BrowserGym's. */
export function isBrowserGym({ type }: EnvironmentSpec): boolean {
  return type === 'browsergym';
}

/** Whether a task is a user-defined class, found by its `task_name`. */
export function isCustomTask(spec: EnvironmentSpec): boolean {
  return isBrowserGym(spec) && spec['benchmark'] === 'custom';
}

/** Whether it is a benchmark of BrowserGym that does not run here. */
export function isOtherBenchmark(spec: EnvironmentSpec): boolean {
  const benchmark = String(spec['benchmark']);
  return isBrowserGym(spec) && !RUN_BENCHMARKS.includes(benchmark) && BENCHMARKS.includes(benchmark);
}
