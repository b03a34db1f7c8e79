import { type Json, type JsonObject, objectOf } from '../../base/json.ts';
import { shown } from '../../python/json.ts';
import { withoutCredentials } from '../credentials.ts';
import { EnvironmentError } from '../environment.ts';
import { ControlChannel } from './channel.ts';

/** A template of a HUD environment, as its server describes it. */
export interface HudTemplate {
  readonly id: string;
  /** Can be empty. */
  readonly description: string;
  /** JSON Schema of its arguments, which is of an object. */
  readonly args: JsonObject;
  /** JSON Schema of the answer that it expects; none for a text. */
  readonly returns?: JsonObject;
}

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
