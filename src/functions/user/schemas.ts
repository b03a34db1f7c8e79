import * as z from 'zod';
import type { UserFunctionSet } from './load.ts';

/** A schema of more characters than this is not told of. */
const LONGEST = 20_000;

/**
 * What loaded functions take, as JSON Schema, by name. Nothing is said of a function without a schema, or with one that
 * JSON Schema cannot say.
 */
export function argumentSchemas({ functions }: UserFunctionSet): Record<string, Record<string, unknown>> {
  const schemas: Record<string, Record<string, unknown>> = {};
  for (const { name, args } of functions.values()) {
    if (args === undefined) continue;
    try {
      const schema = z.toJSONSchema(args as unknown as z.ZodType, { io: 'input', override: allowWhatIsRead });
      if (JSON.stringify(schema).length <= LONGEST) schemas[name] = schema;
    } catch {
      // A date, a schema of another library: only calling the function tells.
    }
  }
  return schemas;
}

/** Where the schema changes what it is given before it looks at it, it says nothing of what it may be given. */
function allowWhatIsRead({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: object }): void {
  const { def } = zodSchema._zod;
  const changed =
    ('coerce' in def && def.coerce === true) ||
    def.type === 'catch' ||
    (def.type === 'pipe' && def.in._zod.def.type === 'transform') ||
    def.checks?.some((check) => check._zod.def.check === 'overwrite') === true;
  if (changed) for (const key of Object.keys(jsonSchema)) delete (jsonSchema as Record<string, unknown>)[key];
}
