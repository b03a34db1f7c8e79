import type { JsonObject } from '../../base/json.ts';
import type { EnvironmentSpec } from '../../tasks/task.ts';
import { addressesOf } from './addresses.ts';
import { askTools, readServer } from './server-info.ts';
import { readOpenEnv } from './spec.ts';
import { hasTools, readTools, schemaOfCalls } from './tools.ts';

/**
 * JSON Schema of the actions of an environment whose server runs at an address that the task names; null for other
 * environments. Rejects with `EnvironmentError`.
 */
export async function readActionSchema(env: EnvironmentSpec): Promise<JsonObject | null> {
  const spec = readOpenEnv(env);
  if ('problems' in spec || spec.place.kind !== 'url') return null;
  const addresses = addressesOf(spec.place.url);
  const schemas = await readServer(addresses);
  if (!hasTools(schemas)) return schemas.action;
  const tools = readTools(await askTools(addresses));
  return tools === null ? null : schemaOfCalls(tools);
}
