import { type Json, objectOf } from '../../base/json.ts';
import { shown } from '../../python/json.ts';
import { withoutCredentials } from '../credentials.ts';
import { EnvironmentError } from '../environment.ts';
import type { HudTemplate } from '../hud-template.ts';
import { ControlChannel } from './channel.ts';

/** The templates of the environment at an address. Runs no code of a template. Rejects with `EnvironmentError` or `Refused`. */
export async function readTemplates(address: string): Promise<readonly HudTemplate[]> {
  const channel = await ControlChannel.open(address);
  try {
    await channel.request('hello', {});
    const { tasks } = await channel.request('tasks.list', {});
    if (!Array.isArray(tasks)) {
      const message = `The HUD environment at ${withoutCredentials(address)} does not list its templates: it sent ${shown(tasks)}.`;
      throw new EnvironmentError('environment_failed', message);
    }
    return (tasks as readonly Json[]).flatMap((task) => {
      const { id, description, args, returns } = objectOf(task);
      if (typeof id !== 'string') return [];
      const said = typeof description === 'string' ? description : '';
      return [
        { id, description: said, args: objectOf(args), ...(returns == null ? {} : { returns: objectOf(returns) }) },
      ];
    });
  } finally {
    await channel.close();
  }
}
