import { afterEach } from 'vitest';
import type { EnvironmentError } from '../../../src/environments/environment.ts';
import { OpenEnvEnvironment } from '../../../src/environments/openenv/environment.ts';
import type { Json } from '../../../src/tasks/task.ts';
import { call, task } from '../../unit/runs/tasks.ts';

const opened: OpenEnvEnvironment[] = [];
/** Ends what a test has started. */
export const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const environment of opened.splice(0)) await environment.close();
  for (const close of closers.splice(0)) await close();
});

/** Begins an episode of an environment at an address. */
export async function begin(url: string, gym: Readonly<Record<string, Json>> = {}, calls: readonly string[] = []) {
  const environment = new OpenEnvEnvironment(() => {});
  opened.push(environment);
  const given = task({ env: { type: 'openenv', url, ...gym }, evaluate: calls.map((name) => call(name, ['x', 1])) });
  const start = await environment.reset({ task: given, files: { folder: '/' }, seed: 7 });
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
