import { isList, objectOf, textOf } from '../../base/json.ts';
import { abbreviateJson } from '../../python/json.ts';
import type { HudTemplate } from '../hud-template.ts';
import { ControlChannel, serverError } from './channel.ts';

/** The templates of the environment at an address. Runs no code of a template. Rejects with `EnvironmentError` or `RefusalError`. */
export async function readTemplates(address: string): Promise<readonly HudTemplate[]> {
  const channel = await ControlChannel.open(address);
  try {
    await channel.request('hello', {});
    const { tasks } = await channel.request('tasks.list', {});
    if (!isList(tasks)) {
      const what = `does not list its templates: it sent ${abbreviateJson(tasks)}.`;
      throw serverError('environment_failed', address, what);
    }
    return tasks.flatMap((task) => {
      const { id, description, args, returns } = objectOf(task);
      if (typeof id !== 'string') return [];
      const template = { id, description: textOf(description) ?? '', args: objectOf(args) };
      return [{ ...template, ...(returns == null ? {} : { returns: objectOf(returns) }) }];
    });
  } finally {
    await channel.close();
  }
}
