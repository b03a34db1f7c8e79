import * as z from 'zod';
import type { UserFunctionSet } from './load.ts';

/** Longer schemas are left out. */
const LONGEST = 20_000;

/**
 * The JSON Schemas of the arguments of loaded functions, by name. Functions without a schema, or with one that JSON
 * Schema cannot express, are left out.
 */
export function argumentSchemas({ functions }: UserFunctionSet): Record<string, Record<string, unknown>> {
  const schemas: Record<string, Record<string, unknown>> = {};
  for (const { name, args } of functions.values()) {
    if (args === undefined) continue;
    try {
      const schema = z.toJSONSchema(args as unknown as z.ZodType, { io: 'input', override: allowWhatIsRead });
      if (JSON.stringify(schema).length <= LONGEST) schemas[name] = schema;
    } catch {
      // A date, or a schema of another library: only a call can check it.
    }
  }
  return schemas;
}

/** Accepts anything where the schema converts its input first, because JSON Schema cannot describe that input. */
function allowWhatIsRead({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: object }): void {
  const { def } = zodSchema._zod;
  const isConverted =
    ('coerce' in def && def.coerce === true) ||
    def.type === 'catch' ||
    (def.type === 'pipe' && def.in._zod.def.type === 'transform') ||
    def.checks?.some((check) => check._zod.def.check === 'overwrite') === true;
  if (isConverted) for (const key of Object.keys(jsonSchema)) delete (jsonSchema as Record<string, unknown>)[key];
}
