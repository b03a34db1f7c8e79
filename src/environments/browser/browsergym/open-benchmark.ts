import type { Task } from '../../../tasks/task.ts';
import { EnvironmentError, type EnvironmentTools, type TaskFiles } from '../../environment.ts';
import { Miniwob } from '../miniwob/miniwob.ts';
import type { Benchmark } from './benchmark.ts';
import { customTaskName, isBrowserGym, isCustomTask } from './browsergym.ts';

/** The benchmark or user-defined class that provides a task's page and reward; null for other tasks. */
export async function openBenchmark(
  { env }: Task,
  files: TaskFiles,
  seed: number,
  tools: EnvironmentTools,
): Promise<Benchmark | null> {
  if (!isBrowserGym(env)) return null;
  if (isCustomTask(env)) {
    if (!('folder' in files)) throw new EnvironmentError('environment_failed', 'the files of the task are missing');
    const { openCustomTask } = await import('./custom-task.ts');
    return openCustomTask(String(customTaskName(env)), files.folder, seed);
  }
  const folder = await tools.miniwob?.();
  if (folder === undefined) throw new EnvironmentError('pages_missing', 'there are no pages of MiniWoB++ here');
  return new Miniwob(env, folder);
}
