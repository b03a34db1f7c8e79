import { isList, type JsonObject, objectOf } from '../base/json.ts';

/**
 * The schemas of which a value fits one, without references, and without that of null.
 * @param path the references that lead to the schema; one of them again has no alternatives
 */
export function alternatives(schema: JsonObject, root: JsonObject, path: readonly string[] = []): JsonObject[] {
  const { $ref, oneOf, anyOf, ...own } = schema;
  if (typeof $ref === 'string') {
    if (path.includes($ref)) return [];
    const name = /^#\/\$defs\/(.+)$/.exec($ref)?.[1] ?? '';
    // Keys beside a reference override those of its target.
    return alternatives({ ...objectOf(objectOf(root['$defs'])[name]), ...own }, root, [...path, $ref]);
  }
  const several = [oneOf, anyOf].find(isList);
  if (several === undefined) return schema['type'] === 'null' ? [] : [schema];
  return several.flatMap((one) => alternatives({ ...own, ...objectOf(one) }, root, path));
}
