import { type Json, type JsonObject, objectOf } from '../base/json.ts';

/** The schemas of which a value fits one, without references, and without that of null. */
export function alternatives(schema: JsonObject, root: JsonObject): JsonObject[] {
  const { $ref, oneOf, anyOf, ...own } = schema;
  if (typeof $ref === 'string') {
    const name = /^#\/\$defs\/(.+)$/.exec($ref)?.[1] ?? '';
    // Keys beside a reference override those of its target.
    return alternatives({ ...objectOf(objectOf(root['$defs'])[name]), ...own }, root);
  }
  const several = Array.isArray(oneOf) ? oneOf : Array.isArray(anyOf) ? anyOf : null;
  if (several === null) return schema['type'] === 'null' ? [] : [schema];
  return (several as readonly Json[]).flatMap((one) => alternatives({ ...own, ...objectOf(one) }, root));
}

/** The required keys of an object. */
export function requiredKeys({ required }: JsonObject): readonly Json[] {
  return Array.isArray(required) ? required : [];
}
