import { onTestFinished } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import type { EnvironmentError } from '../../../src/environments/environment.ts';
import { OpenEnvEnvironment } from '../../../src/environments/openenv/environment.ts';
import { call, task } from '../../unit/runs/tasks.ts';

/** Begins an episode of an environment at an address, which ends with the test. */
export async function begin(url: string, gym: Readonly<Record<string, Json>> = {}, calls: readonly string[] = []) {
  const environment = new OpenEnvEnvironment(() => {});
  onTestFinished(() => environment.close());
  const openEnvTask = task({
    env: { type: 'openenv', url, ...gym },
    evaluate: calls.map((name) => call(name, ['x', 1])),
  });
  const start = await environment.reset({ task: openEnvTask, files: { folder: '/' }, seed: 7 });
  return { environment, start };
}

export function failureOf(promise: Promise<unknown>): Promise<Pick<EnvironmentError, 'code' | 'message'>> {
  return promise.then(
    () => {
      throw new Error('it did not fail');
    },
    ({ code, message }: EnvironmentError) => ({ code, message }),
  );
}
